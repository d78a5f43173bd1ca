// The names of std::make_shared of g++ 12, which LLVM's demangler cannot read.
//
// RUN: %cxx -O0 -g %s -o %t
// RUN: memrec -q -o %t.fb %t
// RUN: memflame --all-frames --metric=allocated --format=collapsed %t.fb > %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: not grep _ZSt %t.txt
// CHECK: main{{.*}}std::make_shared<Node
#include <memory>

struct Node {
  int Values[1000] = {};
};

int main() { return std::make_shared<Node>()->Values[0]; }
