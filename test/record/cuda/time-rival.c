// CUPTI has one set of buffers for activity records. A program that takes the buffers itself, as
// torch.profiler does, gets them at once, with all its records; memrec says so, keeps the times
// up to then, and records memory as before.
//
// RUN: %cuda_cc %s -o %t.exe -l:libcupti.so.13 %libcuda -ldl
// RUN: %cuda %t.exe linked > %t.without
// RUN: %cuda memrec --cuda=time -o %t.fb -- %t.exe linked > %t.with 2> %t.err
// RUN: diff %t.without %t.with
// RUN: FileCheck %s --check-prefix=HAD < %t.with
// HAD: records: 2
// RUN: FileCheck %s < %t.err
// CHECK: CUDA: the time of kernels and copies is recorded up to here: another tool takes CUPTI's activity records: the program itself
// RUN: memdump --check %t.fb
// RUN: memdump --kernels %t.fb | FileCheck %s --check-prefix=BEFORE
// BEFORE: first cuda:0 1 1 ms
// BEFORE-NOT: second
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=MEMORY
// MEMORY: cuda:0.device 1 0 4 KiB
//
// The same of a tool that looks the function up.
// RUN: %cuda memrec --cuda=time -o %t.found.fb -- %t.exe found > %t.with 2> %t.err
// RUN: diff %t.without %t.with
// RUN: FileCheck %s < %t.err
// RUN: memdump --kernels %t.found.fb | FileCheck %s --check-prefix=BEFORE
//
// A tool that was there first is left alone.
// RUN: %cuda memrec --cuda=time -o %t.first.fb -- %t.exe first > %t.with 2> %t.err
// RUN: FileCheck %s --check-prefix=FIRST < %t.err
// FIRST: CUDA: the time of kernels and copies is not recorded: another tool has CUPTI's activity records: the program itself
// RUN: FileCheck %s --check-prefix=ALL < %t.with
// ALL: records: 3
// A child of fork has no device, and its end waits for nothing.
// RUN: %cuda memrec --cuda=time -q -o %t.fork.fb -- %t.exe fork
// RUN: memdump --kernels %t.fork.fb | FileCheck %s --check-prefix=FORK
// FORK: first cuda:0 1 1 ms

#define _GNU_SOURCE
#include "Inputs/check.h"
#include <cupti.h>
#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int Records;

static void CUPTIAPI request(uint8_t **Buffer, size_t *Size, size_t *MaxRecords) {
  *Size = 64 << 10;
  *Buffer = aligned_alloc(8, *Size);
  *MaxRecords = 0;
}

static void CUPTIAPI complete(CUcontext C, uint32_t Stream, uint8_t *Buffer, size_t Size, size_t Valid) {
  CUpti_Activity *R = NULL;
  while (cuptiActivityGetNextRecord(Buffer, Valid, &R) == CUPTI_SUCCESS)
    ++Records;
  free(Buffer);
}

static void take(const char *How) {
  CUptiResult (*Register)(CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc) =
      cuptiActivityRegisterCallbacks;
  if (!strcmp(How, "found"))
    Register = dlsym(dlopen("libcupti.so.13", RTLD_NOW), "cuptiActivityRegisterCallbacks");
  CHECK(Register(request, complete));
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
}

static void work(CUmodule M, const char *Name) {
  CUfunction F;
  CHECK(cuModuleGetFunction(&F, M, Name));
  CHECK(cuLaunchKernel(F, 1000, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
}

int main(int Argc, char **Argv) {
  CUmodule M;
  CUdeviceptr P;
  const char *How = Argv[1];
  if (!strcmp(How, "first"))
    CHECK(cuptiActivityRegisterCallbacks(request, complete));
  begin();
  if (!strcmp(How, "first"))
    take(How);
  CHECK(cuModuleLoadData(&M, ""));
  work(M, "first");
  if (!strcmp(How, "fork")) {
    pid_t Child = fork();
    if (!Child)
      exit(0);
    int Status = 1;
    return waitpid(Child, &Status, 0) != Child || Status != 0;
  }
  if (strcmp(How, "first"))
    take(How);
  work(M, "second");
  CHECK(cuMemAlloc(&P, 4096));
  work(M, "second");
  CHECK(cuptiActivityFlushAll(0));
  printf("records: %d\n", Records);
  return 0;
}
