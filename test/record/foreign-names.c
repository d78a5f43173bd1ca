// Names of other languages: a receiver of Go is no parameters, and Rust's legacy
// mangling is undone to its end.
//
// RUN: %cc -O0 -g0 %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe && memdump %t.fb | FileCheck %s
// RUN: memleak -v --no-default-suppressions %t.fb | FileCheck %s --check-prefix=SHORT
// RUN: memstat -v %t.fb | FileCheck %s --check-prefix=STAT
#include <stdlib.h>

void *grow(void) asm("\"runtime.(*mheap).grow\"");
void *run(void) asm("_ZN3app3run28_$u7b$$u7b$closure$u7d$$u7d$17h48c5d90123456789E");
void *drop(void) asm(
    "_ZN61_$LT$app..Cache$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0123456789abcdefE");

// CHECK: {{^ +}}runtime.(*mheap).grow{{$}}
// CHECK: {{^ +}}app::run::{{[{][{]}}closure}}{{$}}
// CHECK: {{^ +}}<app::Cache<T> as core::ops::drop::Drop>::drop{{$}}
// SHORT-DAG: {{^ +}}runtime.(*mheap).grow (
// SHORT-DAG: {{^ +}}app::run::{{[{][{]}}closure}} (
// STAT: runtime.(*mheap).grow
void *grow(void) { return malloc(3000000); }
void *run(void) { return malloc(2000000); }
void *drop(void) { return malloc(1000000); }

int main(void) { return !grow() || !run() || !drop(); }
