// A program reports a device that memrec does not know: what its memory holds, by a collector, and
// the blocks of its allocator. Both are in the memory space of the device, and no byte of the host.
//
// RUN: %cxx -O0 -g -I%src_root/include %s -o %t.exe
// RUN: %t.exe
// RUN: memrec -q --device-interval=10ms --alert='npu:0:used>90%%' -o %t.fb %t.exe 2>%t.err
// RUN: FileCheck %s --check-prefix=ALERT <%t.err
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s
// RUN: memstat --show=reserved,gap %t.fb | FileCheck %s --check-prefix=STAT
// RUN: memleak --heap=npu:0.weights %t.fb | FileCheck %s --check-prefix=LEAK

#include <memkit/memkit.h>
#include <unistd.h>

static uint64_t Used = 1 << 20;

static int sample(void *Context, memkit_sample *To) {
  ++*static_cast<int *>(Context);
  To->used = Used;
  To->total = 100 << 20;
  To->allocated = Used / 2;
  To->reserved = Used;
  return 1;
}
// A part above its whole, and a device whose size is not known.
static int wrong(void *, memkit_sample *To) {
  To->used = 2;
  To->total = 1;
  To->allocated = 2;
  To->reserved = 1;
  return 1;
}
static int usedAlone(void *, memkit_sample *To) {
  To->used = 7 << 20;
  return 1;
}
static int nothing(void *, memkit_sample *) { return 0; }

__attribute__((noinline)) static void load(uint64_t At, size_t Size) {
  memkit_device_allocated("npu:0", "weights", At, Size);
}

int main() {
  int Calls = 0;
  bool Recorded = memkit_recording();
  // No device's names; a device of PyTorch's.
  if (memkit_register_collector("", sample, &Calls) ||
      memkit_register_collector("a.b", sample, &Calls) ||
      memkit_register_collector("cpu:0", sample, &Calls) ||
      memkit_register_collector("host", sample, &Calls) ||
      memkit_register_collector("npu:1", wrong, nullptr) != int(Recorded) ||
      memkit_register_collector("npu:2", usedAlone, nullptr) != int(Recorded) ||
      memkit_register_collector("npu:0", sample, &Calls) != int(Recorded) ||
      memkit_register_collector("xpu:1", nothing, nullptr) != int(Recorded))
    return 1;
  load(0x1000, 30 << 20);
  load(0x40000000000000, 20 << 20); // above the host's addresses
  load(0x2000, 5 << 20);
  memkit_device_freed("npu:0", "weights", 0x2000);
  memkit_device_allocated("npu 0", "weights", 0x3000, 1 << 20); // no device
  for (int I = 0; I != 10; ++I) {
    usleep(20000);
    Used = uint64_t(I == 5 ? 95 : 50) << 20;
    memkit_step();
    memkit_collect(); // too early
  }
  return Recorded ? Calls < 5 || Calls > 10 : Calls != 0;
}

// ALERT: npu:0:used>90%
// CHECK: 1 free, 0 lost
// CHECK-DAG: npu:0 {{.*}}55 MiB
// CHECK-DAG: npu:0.weights {{ *}}3 {{ *}}1
// STAT: npu:0.device {{ *}}at the end {{ *}}50 MiB {{ *}}25 MiB {{ *}}25 MiB {{ *}}25 MiB {{ *}}50.0 %
// STAT-NEXT: at the peak {{ *}}95 MiB {{ *}}47.5 MiB
// STAT: npu:0 (100 MiB) {{ *}}most used {{.*}} 95 MiB {{ *}}95 MiB {{ *}}0 B
// LEAK: 50 MiB 2 blocks device.cpp:[[#]] load
// STAT: npu:2 {{ *}}most used {{.*}} 7 MiB
