// A program that looks up functions of a framework that is not loaded finds
// none, although the library hooks them, and dlerror names the function. All
// exports but those of the C library, memkit.h and NVTX are such functions.
//
// RUN: grep -E '^(_ZN|TFE_|cuda|cupti)' %src_root/test/record/capture/Inputs/exports.txt > %t.names
// RUN: %cc -O1 %s -ldl -o %t.exe
// RUN: %cc -O1 -shared -fPIC -DFRAMEWORK -Wl,-soname,libc10.so %s -ldl -o %t.c10.so
// RUN: %cc -O1 -shared -fPIC -DFRAMEWORK %s -ldl -o %t.plain.so
// RUN: memrec -q --force -o %t.fb %t.exe %t.names | FileCheck %s
// RUN: memrec -q --force -o %t.fb %t.exe %t.names %t.c10.so | FileCheck %s --check-prefix=LOADED
// RUN: memrec -q --force -o %t.fb %t.exe %t.names %t.plain.so | FileCheck %s --check-prefix=PLAIN
//
// CHECK: names: {{[1-9][0-9]}}
// CHECK-NEXT: found: 0
//
// With the framework, its own code and the program find what they call.
// LOADED: found: 1
// LOADED-NEXT: _ZN3c1022memoryProfilingEnabledEv
// LOADED-NEXT: in the library: found
//
// In a library of another name the library's own code alone finds it.
// PLAIN: found: 0
// PLAIN-NEXT: in the library: found

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define NAME "_ZN3c1022memoryProfilingEnabledEv"

#ifdef FRAMEWORK

int enabled(void) __asm__(NAME);
int enabled(void) { return 0; }

int find(void) { return dlsym(RTLD_DEFAULT, NAME) != 0; }

#else

static int isFound(void *Handle, const char *Name) {
  dlerror();
  void *P = dlsym(Handle, Name);
  const char *Error = dlerror();
  if (!P && (!Error || !strstr(Error, Name)))
    printf("no error for %s\n", Name);
  return P != 0;
}

int main(int argc, char **argv) {
  void *Library = argc > 2 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : 0;
  char Names[64][400], Found[64][400];
  int NumNames = 0, NumFound = 0;
  FILE *F = fopen(argv[1], "r");
  while (NumNames < 64 && fscanf(F, "%399s", Names[NumNames]) == 1)
    ++NumNames;
  fclose(F);
  for (int I = 0; I < NumNames; ++I)
    if (isFound(RTLD_DEFAULT, Names[I]) + isFound(RTLD_NEXT, Names[I]) +
        isFound(dlopen(0, RTLD_NOW), Names[I]))
      strcpy(Found[NumFound++], Names[I]);
  printf("names: %d\nfound: %d\n", NumNames, NumFound);
  for (int I = 0; I < NumFound; ++I)
    printf("%s\n", Found[I]);
  if (Library)
    printf("in the library: %s\n",
           ((int (*)(void))dlsym(Library, "find"))() ? "found" : "not found");
  return 0;
}

#endif
