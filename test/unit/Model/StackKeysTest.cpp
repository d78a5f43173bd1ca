// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks with equal keys.

#include "memkit/Model/StackKeys.h"
#include "TextTrace.h"

using namespace memkit;

TEST(StackKeys, CloneSuffixes) {
  EXPECT_EQ(withoutCloneSuffix("f"), "f");
  EXPECT_EQ(withoutCloneSuffix("f.isra.0"), "f");
  EXPECT_EQ(withoutCloneSuffix("f.isra.0.constprop.12"), "f");
  EXPECT_EQ(withoutCloneSuffix("f.cold"), "f");
  EXPECT_EQ(withoutCloneSuffix("f.llvm.1234567"), "f");
  EXPECT_EQ(withoutCloneSuffix("a::f(int) [clone .isra.0] [clone .cold]"),
            "a::f(int)");
  EXPECT_EQ(withoutCloneSuffix("a::f(int) (.part.0)"), "a::f(int)");
  // Names without a clone suffix.
  EXPECT_EQ(withoutCloneSuffix("a::f(int)"), "a::f(int)");
  EXPECT_EQ(withoutCloneSuffix("operator[]"), "operator[]");
  EXPECT_EQ(withoutCloneSuffix("f (a)"), "f (a)");
  EXPECT_EQ(withoutCloneSuffix("binary.function"), "binary.function");
  EXPECT_EQ(withoutCloneSuffix(".5"), ".5");
  EXPECT_EQ(withoutCloneSuffix(""), "");
  EXPECT_EQ(withoutCloneSuffix("]"), "]");
}

static std::string steadyFunctionOf(llvm::StringRef Name) {
  std::string Room;
  return steadyFunction(Name, Room).str();
}

TEST(StackKeys, SteadyFunctions) {
  EXPECT_EQ(steadyFunctionOf("f.cold"), "f");
  EXPECT_EQ(steadyFunctionOf("main::{lambda(int)#2}::operator()(int) const"),
            "main::{lambda(int)#}::operator()(int) const");
  EXPECT_EQ(steadyFunctionOf("g({unnamed type#12})"), "g({unnamed type#})");
  EXPECT_EQ(steadyFunctionOf("main::'lambda'(int)::operator()(int) const"),
            steadyFunctionOf("main::'lambda0'(int)::operator()(int) const"));
  EXPECT_EQ(steadyFunctionOf("main::$_12::operator()() const"),
            "main::$_::operator()() const");
  EXPECT_EQ(steadyFunctionOf("(anonymous namespace)::f(int) [clone .isra.0]"),
            "(anonymous namespace)::f(int)");
  EXPECT_EQ(steadyFunctionOf("core::ptr::drop::h0123456789abcdef"),
            "core::ptr::drop");
  // Names without a hash or a number to remove.
  EXPECT_EQ(steadyFunctionOf("f<(char)39>('x')"), "f<(char)39>('x')");
  EXPECT_EQ(steadyFunctionOf("a::h0123"), "a::h0123");
  EXPECT_EQ(steadyFunctionOf("v#2"), "v#2");
  EXPECT_EQ(steadyFunctionOf("'lambda3"), "'lambda3");
  EXPECT_EQ(steadyFunctionOf("$"), "$");
}

static std::string steadyFileOf(llvm::StringRef Path) {
  std::string Room;
  return steadyFile(Path, Room).str();
}

TEST(StackKeys, SteadyFiles) {
  EXPECT_EQ(steadyFileOf("/lib/libz.so.1.2.13"), "libz.so");
  EXPECT_EQ(steadyFileOf("/lib/libz.so"), "libz.so");
  EXPECT_EQ(steadyFileOf("/w/libgomp-a34b3233.so.1.0.0"), "libgomp.so");
  EXPECT_EQ(steadyFileOf("/w/libgomp-a34b3233.so"), "libgomp.so");
  EXPECT_EQ(steadyFileOf("x-a34b3233.py"), "x-a34b3233.py");
  EXPECT_EQ(steadyFileOf("lib.so.txt"), "lib.so.txt");
  EXPECT_EQ(steadyFileOf("/bin/python3.11"), "python3.11");
  EXPECT_EQ(steadyFileOf(""), "");
}

TEST(StackKeys, Renames) {
  Renames R;
  EXPECT_FALSE(llvm::errorToBool(R.add("libold.so=libnew.so")));
  EXPECT_FALSE(llvm::errorToBool(R.add("a::f=b::g")));
  EXPECT_FALSE(llvm::errorToBool(R.add("ns=other")));
  EXPECT_FALSE(llvm::errorToBool(R.add("never=x")));
  for (const char *Wrong : {"", "=", "a=", "=b", "a", "ns=third"})
    EXPECT_TRUE(llvm::errorToBool(R.add(Wrong))) << Wrong;
  std::string Room;
  EXPECT_EQ(R.name("libold.so"), "libnew.so");
  EXPECT_EQ(R.name("libold.so.1"), "libold.so.1");
  EXPECT_EQ(R.function("a::f", Room), "b::g");
  EXPECT_EQ(R.function("a::f(int, long)", Room), "b::g(int, long)");
  EXPECT_EQ(R.function("a::f<int>(int)", Room), "b::g<int>(int)");
  EXPECT_EQ(R.function("a::ff(int)", Room), "a::ff(int)");
  EXPECT_EQ(R.function("ns::A::m()", Room), "other::A::m()");
  EXPECT_EQ(R.function("main", Room), "main");
  EXPECT_EQ(R.unused(), std::vector<std::string>{"never"});
}

/// Stack 1: main > f > g. Stack 2: as 1, with g inlined in f. Stack 3: as 1,
/// another line of f. Stack 4: main > g > f. Stack 5: main > f.
static const char *const Text = R"(
header
dictionary
  binary 1 path="/bin/a"
  function 1 name="main" file="a.c"
  function 2 name="f" file="a.c"
  function 3 name="g" file="a.c"
  frame 1 native binary=1 address=1
  frame 2 native binary=1 address=2
  frame 3 native binary=1 address=3
  frame 4 native binary=1 address=4
  frame 5 native binary=1 address=5
  symbols 1 locations=[1:1]
  symbols 2 locations=[2:2]
  symbols 3 locations=[3:3]
  symbols 4 locations=[3:3 2:2]
  symbols 5 locations=[2:20]
  stack 1 frames=[1 2 3]
  stack 2 frames=[1 4]
  stack 3 frames=[1 5 3]
  stack 4 frames=[1 3 2]
  stack 5 frames=[1 2]
complete
)";

TEST(StackKeys, WhatIsTheSame) {
  auto T = textTrace(Text);
  auto Key = [&](const std::vector<uint64_t> &Keys, uint32_t Stack) {
    return Keys[T->leaf(Stack)];
  };
  auto Functions = nodeKeys(*T, SameFrame::Function);
  EXPECT_EQ(Key(Functions, 1), Key(Functions, 2));
  EXPECT_EQ(Key(Functions, 1), Key(Functions, 3));
  EXPECT_NE(Key(Functions, 1), Key(Functions, 4));
  EXPECT_NE(Key(Functions, 1), Key(Functions, 5));
  auto Locations = nodeKeys(*T, SameFrame::Location);
  EXPECT_EQ(Key(Locations, 1), Key(Locations, 2));
  EXPECT_NE(Key(Locations, 1), Key(Locations, 3));

  // In another folder the binary is the same for functions, and another one for
  // locations.
  std::string Moved = Text;
  Moved.replace(Moved.find("/bin/a"), 6, "/opt/a");
  auto Other = textTrace(Moved);
  EXPECT_EQ(Functions, nodeKeys(*Other, SameFrame::Function));
  EXPECT_NE(Key(Locations, 1), Key(nodeKeys(*Other, SameFrame::Location), 1));
}

/// Frames 1..5: m, f, g, h, f with g inlined.
static const char *const Recursive = R"(
header
dictionary
  binary 1 path="/bin/a"
  function 1 name="m"
  function 2 name="f"
  function 3 name="g"
  function 4 name="h"
  frame 1 native binary=1 address=1
  frame 2 native binary=1 address=2
  frame 3 native binary=1 address=3
  frame 4 native binary=1 address=4
  frame 5 native binary=1 address=5
  symbols 1 locations=[1:1]
  symbols 2 locations=[2:2]
  symbols 3 locations=[3:3]
  symbols 4 locations=[4:4]
  symbols 5 locations=[3:3 2:2]
  stack 1 frames=[1 2 4]
  stack 2 frames=[1 2 2 2 4]
  stack 3 frames=[1 2 3 4]
  stack 4 frames=[1 2 3 2 3 4]
  stack 5 frames=[1 5 5 4]
  stack 6 frames=[1 2 3 2 3 2 4]
  stack 7 frames=[1 2 3 2 4]
  stack 8 frames=[1 2 3 4 2 3 4 2 3 4]
complete
)";

TEST(StackKeys, TurnsOfARecursionCountOnce) {
  auto T = textTrace(Recursive);
  auto Keys = nodeKeys(*T, SameFrame::Function);
  auto Key = [&](uint32_t Stack) { return Keys[T->leaf(Stack)]; };
  EXPECT_EQ(Key(1), Key(2));
  EXPECT_EQ(Key(3), Key(4));
  EXPECT_EQ(Key(3), Key(5));
  EXPECT_EQ(Key(3), Key(8));
  EXPECT_EQ(Key(6), Key(7));
  EXPECT_NE(Key(1), Key(3));
  EXPECT_NE(Key(1), Key(7));
  // With locations, each turn of a recursion counts.
  auto Places = nodeKeys(*T, SameFrame::Location);
  EXPECT_NE(Places[T->leaf(1)], Places[T->leaf(2)]);
}

static std::string stripped(const char *Build, const char *Address) {
  return std::string("header\ndictionary\n  binary 1 path=\"/bin/a\" "
                     "build-id=") +
         Build + "\n  frame 1 native binary=1 address=" + Address +
         "\n  frame 2 unknown address=" + Address +
         "\n  stack 1 frames=[1]\n  stack 2 frames=[2]\ncomplete\n";
}

TEST(StackKeys, FramesWithoutSymbols) {
  auto Old = textTrace(stripped("aa", "16")),
       New = textTrace(stripped("bb", "32"));
  auto Key = [](const Trace &T, uint32_t Stack, const KeyRules &Rules) {
    return nodeKeys(T, SameFrame::Function, Rules)[T.leaf(Stack)];
  };
  EXPECT_NE(Key(*Old, 1, {}), Key(*New, 1, {}));
  llvm::StringSet<> Moved = movedBinaries({Old.get(), New.get()});
  EXPECT_EQ(Moved.size(), 1u);
  EXPECT_EQ(movedBinaries({Old.get(), Old.get()}).size(), 0u);
  KeyRules Rules;
  Rules.Moved = &Moved;
  EXPECT_EQ(Key(*Old, 1, Rules), Key(*New, 1, Rules));
  // The address of code outside binaries is random.
  EXPECT_EQ(Key(*Old, 2, {}), Key(*New, 2, {}));
}
