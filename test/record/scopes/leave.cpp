// Scopes that are left by an exception or longjmp, that other threads end, and
// that nobody ends: what is allocated later is in none of them.
//
// RUN: %cxx -std=c++17 -O0 -g -I%src_root/include %s -o %t.exe -pthread
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: %python %S/Inputs/scope-paths.py %t.fb | FileCheck %s
// RUN: memdump --scopes --format=csv %t.fb | cut -d, -f1,2 | FileCheck %s --check-prefix=SCOPES

#include <cassert>
#include <csetjmp>
#include <cstdlib>
#include <memkit/memkit.h>
#include <thread>

static void allocate(size_t Size) {
  void *volatile P = std::malloc(Size);
  std::free(P);
}

static void thrower() {
  memkit::Scope S("thrower");
  allocate(10001);
  throw 1;
}

static std::jmp_buf Back;
static void jumper() {
  memkit_scope_begin("jumper");
  allocate(10003);
  std::longjmp(Back, 1);
}

int main() {
  try {
    thrower();
  } catch (int) {
    allocate(10002);
  }
  {
    memkit::Scope S("around");
    if (!setjmp(Back))
      jumper();
    allocate(10004);
  }
  allocate(10005);
  uint64_t Other = memkit_scope_begin("other");
  std::thread([&] {
    allocate(10006);
    memkit_scope_begin("never ended");
    allocate(10007);
    memkit_scope_end(Other);
    allocate(10008);
  }).join();
  allocate(10009);
  std::thread([] { allocate(10010); }).join();
  struct memkit_stats S;
  memkit_scope_begin("open at exit");
  assert(memkit_stats(0, &S));
  allocate(10011);
}

// CHECK-DAG: 1,10001,thrower
// CHECK-DAG: 1,10002,{{$}}
// CHECK-DAG: 1,10003,around/jumper
// CHECK-DAG: 1,10004,around/jumper
// CHECK-DAG: 1,10005,{{$}}
// CHECK-DAG: 1,10006,{{$}}
// CHECK-DAG: 1,10007,never ended
// CHECK-DAG: 1,10008,never ended
// CHECK-DAG: 1,10009,{{$}}
// CHECK-DAG: 1,10010,{{$}}
// CHECK-DAG: 1,10011,open at exit

// SCOPES-DAG: thrower,1
// SCOPES-DAG: around,1
// SCOPES-DAG: jumper,1
// SCOPES-DAG: other,1
// SCOPES-DAG: never ended,1
// SCOPES-DAG: open at exit,1
