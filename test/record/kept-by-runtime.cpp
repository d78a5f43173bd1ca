// What each program keeps to its end is no leak: the buffer of stdout, and the C++
// library's memory for exceptions.
//
// RUN: %cxx -O1 -g %s -o %t && memrec -q -o %t.fb %t
// RUN: memleak --fail-on=leaks %t.fb | FileCheck %s
//
// CHECK: Nothing was live at the end
// CHECK: Kept by design: {{.*}} in {{[1-9]}}

#include <cstdio>
#include <iostream>

int main() {
  std::puts("hello");
  std::cout << "hello\n";
}
