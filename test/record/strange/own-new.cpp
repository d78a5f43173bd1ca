// A program with operators new and delete of its own, which hand out from a pool
// that it has from malloc: they are the program's, only the pool is seen.
//
// RUN: %cxx -O0 -g %s -o %t.exe
// RUN: %{same} %t.fb -- %t.exe
// RUN: memleak -v --all-frames %t.fb | FileCheck %s
// CHECK: 64 KiB in 1 block of host.malloc

#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

static char *Pool;
static size_t Used;

void *operator new(size_t Size) {
  if (!Pool)
    Pool = static_cast<char *>(malloc(65536));
  void *P = Pool + Used;
  Used += (Size + 15) & ~size_t(15);
  return P;
}
void operator delete(void *) noexcept {}
void operator delete(void *, size_t) noexcept {}

int main() {
  std::vector<int> V;
  for (int I = 0; I != 100; ++I)
    V.push_back(I);
  std::printf("%d\n", V[99]);
}
