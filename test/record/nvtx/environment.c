// memrec sets NVTX_INJECTION64_PATH unless the user has; programs that are
// executed get it back, those that are not followed do not.
//
// RUN: %cc -O1 %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe show | FileCheck %s --check-prefix=OURS
// RUN: memrec -q -o %t.fb %t.exe bare %t.exe | FileCheck %s --check-prefix=OURS
// RUN: memrec -q -o %t.fb %t.exe keep %t.exe | FileCheck %s --check-prefix=OURS
// RUN: memrec -q --no-follow -o %t.fb %t.exe keep %t.exe | FileCheck %s --check-prefix=NONE
// RUN: memrec -q --no-follow -o %t.fb %t.exe show | FileCheck %s --check-prefix=OURS
// RUN: env NVTX_INJECTION64_PATH=/theirs.so memrec -o %t.fb %t.exe keep %t.exe > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=THEIRS < %t.out
// RUN: FileCheck %s --check-prefix=SAID < %t.err
// RUN: env NVTX_INJECTION64_PATH=%libmemrec memrec -o %t.fb %t.exe show 2>&1 | FileCheck %s --check-prefix=OURS --implicit-check-not='is set already'
//
// OURS: path: {{.*}}libmemrec.so
// NONE: path: none
// THEIRS: path: /theirs.so
// SAID: warning: NVTX_INJECTION64_PATH is already set to /theirs.so: NVTX ranges are not recorded

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef VARIABLE
#define VARIABLE "NVTX_INJECTION64_PATH"
#endif

int main(int Argc, char **Argv) {
  extern char **environ;
  if (Argc < 3) {
    const char *Path = getenv(VARIABLE);
    printf("path: %s\n", Path ? Path : "none");
    return 0;
  }
  char *None[] = {0}, *Next[] = {Argv[2], 0};
  return execve(Argv[2], Next, strcmp(Argv[1], "bare") ? environ : None);
}
