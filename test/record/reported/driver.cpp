// A GPU whose driver memkit does not know: a small library in front of the driver's functions is
// all that is needed for heaps, lines, samples, alerts and leaks of its devices. The program knows
// nothing of it, and does the same without memrec, and without the library.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: cc -shared -fPIC -O1 %S/Inputs/hip.c -o libhip.so
// RUN: %cxx -shared -fPIC -O2 -Wall -Werror -I%src_root/include %src_root/docs/examples/hip_watch.cpp -o libhip_watch.so
// RUN: %cxx -O0 -g %s -o train ./libhip.so
// RUN: ./train
// RUN: env LD_PRELOAD=./libhip_watch.so ./train
// RUN: memrec -q -o without.fb ./train
// RUN: memdump --summary without.fb | FileCheck %s --check-prefix=WITHOUT
// RUN: env LD_PRELOAD=./libhip_watch.so memrec -q --device-interval=10ms --alert='hip:0:used>80%%' -o t.fb ./train 2>err
// RUN: FileCheck %s --check-prefix=ALERT <err
// RUN: memdump --check t.fb
// RUN: memdump --summary t.fb | FileCheck %s
// RUN: memleak t.fb | FileCheck %s --check-prefix=LEAK
// RUN: memstat --show=lines,gap t.fb | FileCheck %s --check-prefix=STAT
// RUN: memleak --format=json t.fb >leaks.json
// RUN: memleak --fail-on='leaks>0' --heap=hip:1.driver t.fb
// WITHOUT-NOT: hip:
// ALERT: hip:0:used>80%
// CHECK: 0 lost
// CHECK-DAG: hip:0.driver {{ *}}23 {{ *}}22 {{.*}}40 MiB {{ *}}1 {{ *}}86 MiB
// CHECK-DAG: hip:1.driver {{ *}}20 {{ *}}20 {{.*}}0 B {{ *}}0 {{ *}}1 MiB
// LEAK: 40 MiB {{.*}} driver.cpp:[[#]] take
// STAT: hip:0 (100 MiB)

#include <cstddef>
#include <unistd.h>

extern "C" {
int hipSetDevice(int);
int hipMalloc(void **, size_t);
int hipFree(void *);
int hipMallocAsync(void **, size_t, void *);
int hipFreeAsync(void *, void *);
}

static void *take(size_t Bytes) {
  void *Block = nullptr;
  return hipMalloc(&Block, Bytes) ? nullptr : Block;
}

__attribute__((noinline)) static bool forget() { return take(40 << 20); }

/// Blocks of one device are given back while the other one is current.
static bool work(int Device) {
  void *Block = nullptr;
  if (hipSetDevice(Device) || hipMallocAsync(&Block, 1 << 20, nullptr))
    return false;
  return !hipSetDevice(1 - Device) && !hipFreeAsync(Block, nullptr);
}

int main() {
  if (hipSetDevice(0) || !forget())
    return 1;
  for (int I = 0; I != 20; ++I)
    if (!work(0) || !work(1))
      return 1;
  hipSetDevice(0);
  void *Large = take(45 << 20);
  usleep(20000); // a sample each 10 ms
  void *Next = take(1 << 20);
  bool IsRefused = !take(10 << 20); // 96 MiB of 100 are used
  usleep(20000);
  return !Large || !Next || !IsRefused || hipFree(Next) || hipFree(Large) || hipFree(nullptr);
}
