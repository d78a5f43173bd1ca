// A child of fork is in no scope of its parent's, and measures its own.
//
// RUN: %cc -O0 -g -I%src_root/include %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --scopes --format=csv %t.fb | cut -d, -f1,2,4,6 | FileCheck %s
// RUN: %python %S/Inputs/scope-paths.py %t.fb | FileCheck %s --check-prefix=SCOPE

#include <assert.h>
#include <memkit/memkit.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  struct memkit_stats S;
  uint64_t Scope = memkit_scope_begin("parent");
  pid_t Child = fork();
  if (!Child) {
    free(malloc(20001));
    assert(memkit_recording());
    assert(!memkit_stats(Scope, &S));
    memkit_scope_end(Scope);
    uint64_t Own = memkit_scope_begin("child");
    assert(Own && Own != Scope);
    free(malloc(20002));
    memkit_scope_end(Own);
    assert(memkit_stats(Own, &S) && S.total.allocations == 1);
    _exit(0);
  }
  int Status;
  waitpid(Child, &Status, 0);
  assert(Status == 0);
  free(malloc(20003));
  memkit_scope_end(Scope);
  assert(memkit_stats(Scope, &S) && S.total.allocations == 1);
  // One that stopped recording has children that do not record.
  memkit_stop();
  assert(!memkit_recording());
  if (!(Child = fork())) {
    free(malloc(20004));
    assert(!memkit_recording());
    memkit_start();
    free(malloc(20005));
    _exit(0);
  }
  waitpid(Child, &Status, 0);
  return Status;
}

// CHECK-DAG: parent,1,1,20003
// CHECK-DAG: child,1,1,20002
// SCOPE-DAG: 2,20001,{{$}}
// SCOPE-DAG: 2,20002,child
// SCOPE-DAG: 1,20003,parent
// SCOPE-DAG: 3,20005,{{$}}
// SCOPE-NOT: 20004
