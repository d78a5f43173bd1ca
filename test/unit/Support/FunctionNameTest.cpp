//===- FunctionNameTest.cpp -----------------------------------------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Support/FunctionName.h"
#include "gtest/gtest.h"

using memkit::shortFunctionName;

TEST(FunctionName, WhatIsNotNeededGoes) {
  const char *Cases[][2] = {
      {"main", "main"},
      {"libc.so.6+0x1234", "libc.so.6+0x1234"},
      {"<module>", "<module>"},
      {"<listcomp>", "<listcomp>"},
      {"at::_ops::mm::call(at::Tensor const&, at::Tensor const&)",
       "at::_ops::mm::call"},
      {"void std::vector<int>::push_back(int const&)",
       "std::vector<int>::push_back"},
      {"std::vector<at::Tensor, std::allocator<at::Tensor>>::size() const",
       "std::vector<...>::size"},
      {"at::(anonymous namespace)::mm(at::Tensor const&)",
       "at::(anonymous namespace)::mm"},
      {"f(int)::{lambda(int)#1}::operator()(int) const",
       "f::{lambda#1}::operator()"},
      {"operator new(unsigned long)", "operator new"},
      {"operator delete[](void*)", "operator delete[]"},
      {"bool operator< <char>(A<char> const&, A<char> const&)",
       "operator< <char>"},
      {"std::ostream& operator<<(std::ostream&, int)", "operator<<"},
      {"A::operator->() const", "A::operator->"},
      {"A::operator bool() const", "A::operator bool"},
      {"f(A<(B)2>, void (*)(int))", "f"},
      {"g<&(h(int))>(int)", "g<&(h(int))>"},
      {"foo(int) [clone .constprop.0]", "foo"},
      {"my_operator(int)", "my_operator"},
  };
  for (auto &[Full, Short] : Cases)
    EXPECT_EQ(shortFunctionName(Full), Short) << Full;
}

TEST(FunctionName, WhatDoesNotMatchStays) {
  for (const char *Name : {"a(b", "a)b(", "x<y", "(", "a(b>c", "f(<)"})
    EXPECT_EQ(shortFunctionName(Name).empty(), false) << Name;
  EXPECT_EQ(shortFunctionName("a(b"), "a(b");
  EXPECT_EQ(shortFunctionName("x<y"), "x<y");
}
