// A C program that opens a C++ library for itself alone, as Python does with an
// extension: operator new is then only in that library's scope, not in the global
// one. Once with libstdc++ as a library of its own, once linked into it.
//
// RUN: %cxx -std=c++17 -O0 -g -shared -fPIC -DLIBRARY %s -o %t.so
// RUN: %cxx -std=c++17 -O0 -g -shared -fPIC -DLIBRARY -static-libstdc++ -static-libgcc %s -o %t.static.so
// RUN: %cc -O0 -g -x c %s -o %t
// RUN: %wiredrain --dump -- %t %t.so | FileCheck %s
// RUN: %wiredrain --dump -- %t %t.static.so | FileCheck %s
//
// CHECK: alloc malloc size 4321
// CHECK: alloc aligned_alloc size 4352
// CHECK: unknown 0 twice 0 lost 0
// CHECK: status 0

#ifdef LIBRARY
#include <new>
#include <string>

extern "C" int entry() {
  operator delete(operator new(4321));
  operator delete(operator new(4321, std::align_val_t(64)), std::align_val_t(64));
  volatile std::size_t Huge = std::size_t(1) << 62;
  try {
    operator delete(operator new(Huge));
  } catch (const std::bad_alloc &E) {
    return std::string(E.what()) == "std::bad_alloc" ? 7 : 0;
  }
  return 0;
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(int Argc, char **Argv) {
  void *Library = dlopen(Argv[1], RTLD_LAZY | RTLD_LOCAL);
  int (*Entry)(void) = (int (*)(void))(Library ? dlsym(Library, "entry") : 0);
  // The library finds no message of ours.
  if (!Entry || Entry() != 7 || dlerror()) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  return dlclose(Library);
}
#endif
