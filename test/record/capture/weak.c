// A weak reference to a function of a framework that is not loaded is null, although the library hooks the
// function: in code and in data, in an executable, in a library from the start (but for its constructors, which run
// before the library's), in one that is opened later, and in its constructor. With the framework, the reference leads
// to the function.
//
// RUN: grep -E '^(_ZN|TFE_|cuda|cupti)' %src_root/test/record/capture/Inputs/exports.txt > %t.names
// RUN: %python %S/Inputs/weak.py %t.names %t.names.c
// RUN: mkdir -p %t.dir
// RUN: %cc -shared -fPIC -DFRAMEWORK -Wl,-soname,libc10.so %s -o %t.dir/libc10.so
// RUN: %cc -shared -fPIC -DLIBRARY '-DNAMES="%t.names.c"' %s -o %t.dir/libuser.so
// RUN: %cc -shared -fPIC -DLIBRARY '-DNAMES="%t.names.c"' %s -Wl,-rpath,%t.dir -Wl,--no-as-needed %t.dir/libc10.so -o %t.dir/libboth.so
// RUN: %cc '-DNAMES="%t.names.c"' %s -ldl -o %t.pie
// RUN: %cc -no-pie '-DNAMES="%t.names.c"' %s -ldl -o %t.fixed
// RUN: %cc '-DNAMES="%t.names.c"' %s -Wl,-rpath,%t.dir -Wl,--no-as-needed %t.dir/libuser.so -ldl -o %t.linked
// RUN: %cc '-DNAMES="%t.names.c"' %s -Wl,-rpath,%t.dir -Wl,--no-as-needed %t.dir/libc10.so -ldl -o %t.framework
//
// RUN: memrec -q --force -o %t.fb %t.pie %t.dir/libuser.so %t.dir/libboth.so | FileCheck %s
// RUN: memrec -q --force -o %t.fb %t.fixed %t.dir/libuser.so | FileCheck %s --check-prefixes=PROGRAM,USER
// RUN: memrec -q --force -o %t.fb %t.linked %t.dir/libuser.so | FileCheck %s --check-prefix=LINKED
// RUN: memrec -q --force -o %t.fb %t.framework %t.dir/libuser.so | FileCheck %s --check-prefix=FRAMEWORK
//
// CHECK: program: 0 in code, 0 in data
// CHECK: constructor: 0 in code, 0 in data
// CHECK: library: 0 in code, 0 in data
// CHECK: constructor: 1 in code, 1 in data
// CHECK: library: 1 in code, 1 in data
// PROGRAM: program: 0 in code, 0 in data
// USER: constructor: 0 in code, 0 in data
// LINKED: program: 0 in code, 0 in data
// LINKED: library: 0 in code, 0 in data
// FRAMEWORK: program: 1 in code, 1 in data
// FRAMEWORK: constructor: 1 in code, 1 in data

#include <dlfcn.h>
#include <stdio.h>

#ifdef FRAMEWORK

int enabled(void) __asm__("_ZN3c1022memoryProfilingEnabledEv");
int enabled(void) { return 0; }

#else

#include NAMES

static void look(const char *Where) {
  int Code = 0, Data = 0;
  for (int I = 0; I != NumNames; ++I) {
    Code += code(I);
    Data += Words[I].Word != 0;
  }
  printf("%s: %d in code, %d in data\n", Where, Code, Data);
  fflush(stdout);
}

#ifdef LIBRARY
__attribute__((constructor)) static void start(void) { look("constructor"); }
void later(void) { look("library"); }
#else
int main(int argc, char **argv) {
  look("program");
  for (int I = 1; I < argc; ++I) {
    void *Library = dlopen(argv[I], RTLD_NOW | RTLD_LOCAL);
    if (!Library)
      return puts(dlerror());
    void (*Later)(void) = (void (*)(void))dlsym(Library, "later");
    Later();
  }
  return 0;
}
#endif
#endif
