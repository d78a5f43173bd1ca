// A program with CUDA that runs already: what the driver gives out is recorded from then on, if it
// is asked for, and CUPTI is free again afterwards.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda -ldl
// RUN: %cuda %python %S/../attach/Inputs/attach.py once:--cuda=cupti,--no-census,-v %t.fb -- %t.exe > %t.out
// RUN: FileCheck %s --input-file=%t.out
// CHECK: CUDA: memory of the driver is recorded through CUPTI
// CHECK: memrec's status: 0
// CHECK-NEXT: the program: CUPTI is free: 0
// CHECK-NEXT: the program's status: 0
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
// HEAPS: cuda:0.device
// RUN: memdump %t.fb | FileCheck %s --check-prefix=EVENTS
// EVENTS-NOT: 5 MiB cuda:0.device
// EVENTS: alloc #[[#B:]] 3 MiB cuda:0.device
// EVENTS: work (late.c:[[#]])
// EVENTS: free #[[#B]]
//
// The device is known, and what it uses, though the program allocates nothing.
// RUN: %cuda %python %S/../attach/Inputs/attach.py once:--cuda=cupti,--no-census %t.idle.fb -- %t.exe idle > %t.out
// RUN: memdump %t.idle.fb | FileCheck %s --check-prefix=IDLE
// IDLE: device-used 1 6 MiB 8 GiB
//
// The driver comes while memrec records: each call once, though CUPTI and the wrappers of what the
// program looks up both know of it.
// RUN: %cuda_cc -DOPENS %s -o %t.opens.exe -ldl
// RUN: %cuda %python %S/../attach/Inputs/attach.py told:--cuda=cupti %t.opened.fb -- %t.opens.exe | FileCheck %s --check-prefix=OPENS
// OPENS: the program says: allocated
// OPENS: memrec's status: 0
// RUN: memdump --check %t.opened.fb
// RUN: memdump --summary %t.opened.fb | FileCheck %s --check-prefix=OPENED
// OPENED: {{^ *}}cuda:0.device 21 20 65 MiB
//
// Again and again.
// RUN: %cuda %python %S/../attach/Inputs/attach.py cycles:10,--cuda=cupti %t.cycles.fb -- %t.exe | FileCheck %s --check-prefix=CYCLES
// CYCLES: cycles: 10
// CYCLES-NEXT: mappings left: 0
// CYCLES-NEXT: the program: CUPTI is free: 0
//
// Without being asked, memrec says what is missing.
// RUN: %cuda %python %S/../attach/Inputs/attach.py once:--no-census %t.fb -- %t.exe | FileCheck %s --check-prefix=HINT
// HINT: the memory of CUDA's driver is not recorded: add --cuda=cupti

#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t Ends;
static void end(int Signal) { Ends = Signal; }

#ifdef OPENS
static void *Driver;
#define QUOTED(NAME) #NAME
#define CALL(NAME) ((typeof(&NAME))dlsym(Driver, QUOTED(NAME)))
#else
#define CALL(NAME) (&NAME)
#endif

static CUdeviceptr work(void) {
  CUdeviceptr P = 0;
  if (CALL(cuMemAlloc)(&P, 3 << 20))
    puts("no memory");
  return P;
}

static CUdeviceptr begin(void) {
  CUcontext C;
  CUdeviceptr Old = 0;
  if (CALL(cuInit)(0) || CALL(cuDevicePrimaryCtxRetain)(&C, 0) || CALL(cuCtxSetCurrent)(C) ||
      CALL(cuMemAlloc)(&Old, 5 << 20))
    puts("no context");
  return Old;
}

static void say(const char *Line) {
  puts(Line);
  fflush(stdout);
}

#ifdef OPENS
static bool isRecorded(void) {
  static char Maps[1 << 16];
  FILE *File = fopen("/proc/self/maps", "r");
  size_t N = fread(Maps, 1, sizeof(Maps) - 1, File);
  fclose(File);
  Maps[N] = 0;
  return strstr(Maps, "/memfd:memkit");
}

int main(void) {
  signal(SIGTERM, end);
  say("ready");
  while (!isRecorded())
    usleep(10000);
  usleep(2000000);
  Driver = dlopen("libcuda.so.1", RTLD_NOW);
  begin();
  for (int I = 0; I != 20; ++I) {
    CUdeviceptr P = work();
    usleep(10000);
    CALL(cuMemFree)(P);
  }
  say("allocated");
  while (!Ends)
    usleep(10000);
}
#else
// What a profiler does that comes later.
static int subscribe(void) {
  void *Cupti = dlopen("libcupti.so.13", RTLD_NOW);
  typeof(&cuptiSubscribe) Subscribe = Cupti ? (typeof(&cuptiSubscribe))dlsym(Cupti, "cuptiSubscribe") : NULL;
  CUpti_SubscriberHandle S;
  return Subscribe ? (int)Subscribe(&S, NULL, NULL) : -1;
}

int main(int Argc, char **Argv) {
  bool IsIdle = Argc > 1 && !strcmp(Argv[1], "idle");
  signal(SIGTERM, end);
  CUdeviceptr Old = begin();
  say("ready");
  for (int I = 0; !Ends; ++I) {
    usleep(10000);
    if (IsIdle)
      continue;
    cuMemFree(work());
    if (I == 30)
      cuMemFree(Old);
  }
  printf("CUPTI is free: %d\n", subscribe());
}
#endif
