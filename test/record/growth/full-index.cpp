// The index of a cache that is full grows no more, though its next rise is not due: it holds the cache's blocks, and
// no more of them come. A list beside a full cache grows on.
//
// RUN: %cxx -O1 -g -I %src_root/include %s -o %t.exe
// RUN: memrec -q --force -o %t.fb -- %t.exe full
// RUN: memleak %t.fb | FileCheck %s --check-prefix=FULL
// FULL: Nothing grows (measured: steps 1 to 899)
// FULL-NEXT: grew until step 5{{[0-9]+}}  full-index.cpp:[[#]] Cache::keep
// FULL-NOT: {{^}}grows
// RUN: memrec -q --force -o %t.fb -- %t.exe open
// RUN: memleak %t.fb | FileCheck %s --check-prefix=OPEN
// OPEN: {{^}}LEAK  full-index.cpp:[[#]] Cache::keep
// RUN: memrec -q --force -o %t.fb -- %t.exe beside
// RUN: memleak %t.fb | FileCheck %s --check-prefix=BESIDE
// BESIDE: {{^}}grows  full-index.cpp:[[#]] Cache::keep
// BESIDE-NEXT: Log.push_back(Step);
// BESIDE: grew until step 5{{[0-9]+}}  full-index.cpp:[[#]] Cache::keep

#include <cstring>
#include <list>
#include <memkit/memkit.h>
#include <memory>
#include <unordered_map>
#include <vector>

struct Cache {
  size_t Bound;
  std::list<std::unique_ptr<char[]>> Blocks;
  std::unordered_map<unsigned, char *> Index;
  std::vector<unsigned> Log;
  bool HasLog;

  __attribute__((noinline)) void keep(unsigned Step) {
    for (unsigned I = 0; I != 10; ++I) {
      unsigned Key = Step * 10 + I;
      Blocks.push_back(std::make_unique<char[]>(4000));
      memset(Blocks.back().get(), 1, 4000);
      if (HasLog) {
        Log.push_back(Step);
        continue;
      }
      Index[Key] = Blocks.back().get();
      if (Index.size() > Bound)
        Index.erase(Key - Bound);
    }
    while (Blocks.size() > Bound)
      Blocks.pop_front();
  }
};

int main(int, char **Arguments) {
  bool IsOpen = *Arguments[1] == 'o', HasLog = *Arguments[1] == 'b';
  Cache Kept{IsOpen ? SIZE_MAX : 5500, {}, {}, {}, HasLog};
  for (unsigned Step = 1; Step <= 900; ++Step) {
    memkit_step();
    Kept.keep(Step);
  }
  return 0;
}
