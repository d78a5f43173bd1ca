// Libraries that come and go at the same places in several threads at once: no
// address of one is taken for another's, and the stacks are right. A thread that
// loads a library may get the place of one that another thread unloads in the
// same moment.
//
// RUN: %cxx -O1 -g -shared -fPIC -DLIBRARY=1 %s -o %t.1.so
// RUN: %cxx -O1 -g -shared -fPIC -DLIBRARY=2 %s -o %t.2.so
// RUN: %cxx -O1 -g -shared -fPIC -DLIBRARY=3 %s -o %t.3.so
// RUN: %cxx -O1 -g -fno-builtin -pthread %s -o %t -ldl
// RUN: %wiredrain --stacks -- %t 300 %t.1.so %t.2.so %t.3.so > %t.out
// RUN: FileCheck %s < %t.out
// RUN: grep -c 'size 1111 .*1.so+' %t.out
// RUN: not grep 'size 1111 .*[23].so+' %t.out
// RUN: not grep 'size 2222 .*[13].so+' %t.out
// RUN: not grep 'size 3333 .*[12].so+' %t.out
// RUN: %oracle 3000 1 -- %t 300 %t.1.so %t.2.so %t.3.so | FileCheck %s --check-prefix=ORACLE
// RUN: env MEMREC_ORACLE_OLD_GLIBC=1 %oracle 3000 1 -- %t 300 %t.1.so %t.2.so %t.3.so \
// RUN:   | FileCheck %s --check-prefix=ORACLE
//
// CHECK: unknown 0 twice 0 lost 0
// ORACLE: different 0 beyond 0 marked 0
// ORACLE: status 0

#include <cstdlib>
#include <dlfcn.h>
#include <thread>
#include <vector>

#ifdef LIBRARY

// The same code at the same place, but with frames of different size.
extern "C" __attribute__((noinline)) void *inner(size_t N) {
  volatile char Pad[128 * LIBRARY];
  Pad[0] = 0;
  void *P = malloc(N + size_t(Pad[0]));
  Pad[1] = 0;
  return P;
}
extern "C" void *entry() {
  volatile char Pad[64 * LIBRARY];
  Pad[0] = 0;
  void *P = inner(1111 * LIBRARY + size_t(Pad[0]));
  Pad[1] = 0;
  return P;
}

#else

int main(int, char **Argv) {
  int Rounds = atoi(Argv[1]);
  std::vector<std::thread> Threads;
  for (int T = 0; T < 3; ++T)
    Threads.emplace_back([=] {
      for (int I = 0; I < Rounds; ++I) {
        void *Library = dlopen(Argv[2 + (I + T) % 3], RTLD_NOW);
        auto *Entry = reinterpret_cast<void *(*)()>(dlsym(Library, "entry"));
        for (int K = 0; K < 3; ++K)
          free(Entry());
        dlclose(Library);
      }
    });
  for (auto &T : Threads)
    T.join();
  return 0;
}
#endif
