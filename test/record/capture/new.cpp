// Every operator new and delete, once each; bad_alloc goes through the hooks; a
// new handler is called as ever.
//
// RUN: %cxx -std=c++17 -O0 -g %s -o %t
// RUN: %wiredrain -- %t | FileCheck %s
//
// libstdc++'s operators reach malloc, which records: each block counts once. (Of
// the 72,704 bytes libstdc++ takes when it is loaded, its pool for exceptions.)
// CHECK: live 1 blocks 72704 bytes unknown 0 twice 0 lost 0
// CHECK: exit 0
// CHECK: status 0
//
// The same with operators that bring their own memory: the hooks record it.
//
// RUN: %cxx -std=c++17 -O0 -g -shared -fPIC %S/Inputs/own-new.cpp -o %t.so
// RUN: env LD_LIBRARY_PATH=. %cxx -std=c++17 -O0 -g %s -DOWN %t.so -o %t.own
// RUN: %wiredrain --dump -- %t.own | FileCheck %s --check-prefix=OWN
//
// OWN-DAG: alloc new size 1001
// OWN-DAG: alloc new[] size 1002
// OWN-DAG: alloc new size 1003
// OWN-DAG: alloc new[] size 1004
// OWN-DAG: alloc new-aligned size 1005
// OWN-DAG: alloc new[]-aligned size 1006
// OWN: unknown 0 twice 0 lost 0
// OWN: status 0

#include <cstdlib>
#include <new>

static int Handled;

int main() {
  // Functions, so that no pair can be optimised away.
  operator delete(operator new(1001));
  operator delete[](operator new[](1002));
  operator delete(operator new(1003, std::nothrow), std::nothrow);
  operator delete[](operator new[](1004, std::nothrow), std::nothrow);
  std::align_val_t A{64};
  operator delete(operator new(1005, A), A);
  operator delete[](operator new[](1006, A), A);
  operator delete(operator new(1007), std::size_t(1007));
  operator delete[](operator new[](1008), std::size_t(1008));
  operator delete(operator new(1009, A, std::nothrow), A, std::nothrow);
  operator delete[](operator new[](1010, A, std::nothrow), A, std::nothrow);
  operator delete(operator new(1011, A), std::size_t(1011), A);
  operator delete[](operator new[](1012, A), std::size_t(1012), A);
#ifndef OWN
  volatile std::size_t Huge = std::size_t(1) << 62;
  int Caught = 0;
  try {
    operator delete(operator new(Huge));
  } catch (const std::bad_alloc &) {
    ++Caught;
  }
  if (operator new(Huge, std::nothrow))
    return 1;
  std::set_new_handler([] {
    if (++Handled == 2)
      std::set_new_handler(nullptr);
  });
  try {
    operator delete(operator new(Huge));
  } catch (const std::bad_alloc &) {
    ++Caught;
  }
  return Caught == 2 && Handled == 2 ? 0 : 2;
#endif
}
