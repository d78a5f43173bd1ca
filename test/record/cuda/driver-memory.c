// What the driver takes of the host for contexts and modules has its name in all tools, though
// lines of the program made and loaded them; a module may be loaded when its kernel is launched.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: %cuda env FAKECUDA_HOST_BYTES=1048576 memrec -q -o %t.fb -- %t.exe
// RUN: memstat %t.fb | FileCheck %s --check-prefix=STAT
// RUN: memleak %t.fb | FileCheck %s --check-prefix=LEAK
// RUN: memtop --once --at=end %t.fb | FileCheck %s --check-prefix=TOP
// RUN: %cuda memrec -q -o %t.less.fb -- %t.exe
// RUN: memdiff %t.less.fb %t.fb | FileCheck %s --check-prefix=DIFF
//
// STAT: held by CUDA modules 54.{{.*}}, driver-memory.c:[[#]] main 27.{{.*}}, CUDA context 18.
// LEAK: 3 MiB {{.*}} CUDA modules
// LEAK: 1.5 MiB {{.*}} driver-memory.c:[[#]] main
// LEAK: 1 MiB {{.*}} CUDA context
// TOP: 3 MiB {{.*}} CUDA modules
// TOP: 1 MiB {{.*}} CUDA context
// DIFF: +3 MiB {{.*}} CUDA modules
// DIFF: +1 MiB {{.*}} CUDA context
//
// A rule of the user's comes first.
// RUN: echo 'owner:^cuModuleLoad => my modules' > %t.rules
// RUN: memstat --rules=%t.rules %t.fb | FileCheck %s --check-prefix=RULES
// RULES: held by {{.*}}my modules

#include "Inputs/check.h"
#include <string.h>

static void *volatile Kept;

int main(void) {
  CUmodule M;
  CUlibrary L;
  CUfunction F;
  begin();
  CHECK(cuModuleLoadData(&M, ""));
  CHECK(cuLibraryLoadData(&L, "", NULL, NULL, 0, NULL, NULL, 0));
  setenv("FAKECUDA_LAZY", "1", 1);
  CHECK(cuModuleLoadData(&M, ""));
  CHECK(cuModuleGetFunction(&F, M, "kernel"));
  CHECK(cuLaunchKernel(F, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  Kept = memset(malloc(1536 << 10), 1, 1536 << 10);
  return 0;
}
