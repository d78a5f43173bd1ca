// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shortened function names.

#include "Support/FunctionName.h"
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
      {"runtime.(*mheap).grow", "runtime.(*mheap).grow"},
      {"main.(*Cache[...]).Put.func1", "main.(*Cache[...]).Put.func1"},
      {"main.(*T", "main.(*T"},
      {"<alloc::vec::Vec<T> as core::ops::Drop>::drop",
       "<alloc::vec::Vec<T> as core::ops::Drop>::drop"},
      {"run::_$u7b$$u7b$closure$u7d$$u7d$::h48c5d90123456789",
       "run::{{closure}}"},
      {"core::ptr::drop_in_place$LT$alloc..vec..Vec$LT$u8$GT$$GT$::"
       "h0123456789abcdef",
       "core::ptr::drop_in_place<...>"},
  };
  for (auto &[Full, Short] : Cases)
    EXPECT_EQ(shortFunctionName(Full), Short) << Full;
}

TEST(FunctionName, LegacyRust) {
  using memkit::rustFunctionName;
  const char Hash[] = "::h0123456789abcdef";
  const char *Cases[][2] = {
      {"core::fmt::write", "core::fmt::write"},
      {"_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$::drop",
       "<alloc::vec::Vec<T> as core::ops::Drop>::drop"},
      {"run::_$u7b$$u7b$closure$u7d$$u7d$", "run::{{closure}}"},
      {"a::f$LP$$RF$$BP$$C$$SP$$RP$", "a::f(&*,@)"},
      {"a::_b", "a::_b"},
      {"a$b$c", "a$b$c"},
      {"a$", "a$"},
      {"a$u1b$", "a$u1b$"},
      {"a$ufffffffff$", "a$ufffffffff$"},
  };
  for (auto &[Mangled, Name] : Cases)
    EXPECT_EQ(rustFunctionName(std::string(Mangled) + Hash), Name);
  for (const char *Other :
       {"", "main", "a$LT$b", "a::h0123", "a::h0123456789abcdeg",
        "::h0123456789abcdef", "ns::f(int)"})
    EXPECT_EQ(rustFunctionName(Other), Other);
}

TEST(FunctionName, WhatDoesNotMatchStays) {
  for (const char *Name : {"a(b", "a)b(", "x<y", "(", "a(b>c", "f(<)"})
    EXPECT_EQ(shortFunctionName(Name).empty(), false) << Name;
  EXPECT_EQ(shortFunctionName("a(b"), "a(b");
  EXPECT_EQ(shortFunctionName("x<y"), "x<y");
}
