// The device memory of NCCL in a program that runs already: of communicators that were made before the recording, which
// have no number, and of those that come later.
//
// REQUIRES: python
// RUN: rm -rf %t && mkdir %t
// RUN: %cuda_cxx -std=c++17 -shared -fPIC -pthread %S/Inputs/nccl.cpp -o %t/libnccl.so.2 -Wl,-soname,libnccl.so.2 %libcuda
// RUN: %cuda_cxx -std=c++17 -shared -fPIC -DUSER %S/Inputs/nccl.cpp -o %t/libuser.so %t/libnccl.so.2 -Wl,-rpath,%t %libcuda
// RUN: %cuda_cc %s -o %t/program -L%t -luser -Wl,-rpath,%t
// RUN: %cuda %python %S/../attach/Inputs/attach.py told:--cuda=cupti %t/t.fb -- %t/program | FileCheck %s
// CHECK: the program says: trained 0
// CHECK: memrec's status: 0
// RUN: memdump --check %t/t.fb
// RUN: memflame --format=collapsed --group-by=scope-path --heap=cuda:0.device --metric=peak %t/t.fb | sort | FileCheck %s --check-prefix=PATHS --match-full-lines
// PATHS: (no scope path) 16777216
// PATHS-NEXT: NCCL communicator 0 4194304
// PATHS-NEXT: NCCL communicator 2097152
// PATHS-NEXT: NCCL memory of the program 8388608
// PATHS-NEXT: NCCL, several communicators 1048576

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int initGroup(void);
int train(void);

static volatile sig_atomic_t Ends;
static void end(int Signal) { Ends = Signal; }

static bool isRecorded(void) {
  static char Maps[1 << 16];
  FILE *File = fopen("/proc/self/maps", "r");
  size_t N = fread(Maps, 1, sizeof(Maps) - 1, File);
  fclose(File);
  Maps[N] = 0;
  return strstr(Maps, "/memfd:memkit") && strstr(Maps, "/libmemrec-cuda.so");
}

int main(void) {
  signal(SIGTERM, end);
  int Bad = initGroup();
  puts("ready");
  fflush(stdout);
  while (!isRecorded())
    usleep(10000);
  // The thread that has loaded it subscribes to CUPTI.
  usleep(3000000);
  printf("trained %d\n", Bad | train());
  fflush(stdout);
  while (!Ends)
    usleep(10000);
}
