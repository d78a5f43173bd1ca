// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks with frames folded away.

#include "memkit/Model/StackView.h"
#include "memkit/Model/Rules.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace memkit;

namespace {

FrameRole native(llvm::StringRef Binary,
                 std::vector<llvm::StringRef> Functions) {
  const Rules &R = Rules::builtIn();
  llvm::SmallVector<FunctionRole, 4> Roles;
  for (llvm::StringRef F : Functions)
    Roles.push_back(R.functionRole(F));
  return Rules::nativeRole(R.binaryRole(Binary), Roles);
}

FrameRole python(llvm::StringRef File) {
  return Rules::builtIn().pythonRole("f", File);
}

TEST(FrameRoles, OfFrames) {
  const char *Python = "/usr/bin/python3.11",
             *Lib = "/lib/libpython3.12.so.1.0";
  EXPECT_EQ(FrameRole::Interpreter, native(Python, {"main"}));
  EXPECT_EQ(FrameRole::Allocator, native(Lib, {"_PyObject_GC_New"}));
  EXPECT_EQ(FrameRole::Allocator, native(Python, {"new_arena"}));
  EXPECT_EQ(FrameRole::Program, native("/lib/_ext.so", {"new_arena"}));
  EXPECT_EQ(FrameRole::Interpreter, native(Lib, {"Py_RunMain"}));
  EXPECT_EQ(FrameRole::Interpreter, native(Lib, {"list_append"}));
  EXPECT_EQ(FrameRole::Glue, native(Lib, {"cfunction_vectorcall_FASTCALL"}));
  EXPECT_EQ(FrameRole::Glue, native(Python, {}));
  EXPECT_EQ(FrameRole::Glue, native("/lib/_ext.so", {"PyObject_CallOneArg"}));
  EXPECT_EQ(FrameRole::Program, native("/lib/_ext.so", {"at::addmm"}));
  EXPECT_EQ(FrameRole::Program, native("/lib/_ext.so", {}));
  EXPECT_EQ(FrameRole::Program,
            native("/lib/_ext.so", {"PyObject_CallOneArg", "at::addmm"}));
  EXPECT_EQ(FrameRole::Interpreter,
            native(Lib, {"PyObject_CallOneArg", "list_sort"}));
  EXPECT_EQ(FrameRole::Program, native("/usr/bin/pythonize", {"main"}));
  EXPECT_EQ(FrameRole::Program, native("/lib/libpython_extra.so", {"f"}));
  EXPECT_EQ(FrameRole::Start, native("/lib/libc.so.6", {"start_thread"}));
  EXPECT_EQ(FrameRole::Start, native("/lib/libc.so.6", {}));
  EXPECT_EQ(FrameRole::Start,
            native("/lib/libc.so.6", {"__libc_start_main_impl"}));
  EXPECT_EQ(FrameRole::Program, native("/lib/libc.so.6", {"qsort_r"}));
  EXPECT_EQ(FrameRole::Loader, python("<frozen importlib._bootstrap>"));
  EXPECT_EQ(FrameRole::Loader, python("<frozen runpy>"));
  EXPECT_EQ(FrameRole::Loader, python("<frozen site>"));
  EXPECT_EQ(FrameRole::Loader, python("/usr/lib/python3.9/site.py"));
  EXPECT_EQ(FrameRole::Python, python("/home/me/site.py"));
  EXPECT_EQ(FrameRole::Python, python("/home/me/runpython.py"));
  EXPECT_EQ(FrameRole::Python, python(""));
}

/// Roles by letter: Program, python (y), Loader, Interpreter, Allocator, Glue,
/// Start, Folded, folded python (f).
FrameRole roleOf(char C) {
  return FrameRole(llvm::StringRef("PyLIAGSFf").find(C));
}

std::string unfolded(llvm::StringRef Path) {
  std::vector<FrameRole> Roles;
  for (char C : Path)
    Roles.push_back(roleOf(C));
  llvm::SmallVector<bool, 64> Stays = unfoldedFrames(Roles);
  std::string Left;
  for (size_t I = 0; I != Path.size(); ++I)
    if (Stays[I])
      Left += Path[I];
  return Left;
}

TEST(FrameRoles, WhatStays) {
  EXPECT_EQ("", unfolded(""));
  // Without Python, only the start and folded functions go.
  EXPECT_EQ("IIGP", unfolded("SSIIGP"));
  EXPECT_EQ("PSP", unfolded("SPFSFP"));
  EXPECT_EQ("F", unfolded("SF"));
  EXPECT_EQ("y", unfolded("SSIIGy"));
  EXPECT_EQ("yy", unfolded("SSIIyGIy"));
  // Outside the innermost Python frame only the calling machinery is folded,
  // and only next to the frame.
  EXPECT_EQ("yyP", unfolded("yIyGGP"));
  EXPECT_EQ("yIGP", unfolded("yGIGP"));
  EXPECT_EQ("yPGI", unfolded("yPGI"));
  EXPECT_EQ("yPy", unfolded("yGPGIy"));
  EXPECT_EQ("yIP", unfolded("yIAAP"));
  EXPECT_EQ("IP", unfolded("SIAP"));
  // importlib is folded unless no other Python frame tells the place.
  EXPECT_EQ("yyP", unfolded("IyLLyP"));
  EXPECT_EQ("yLP", unfolded("IyLLP"));
  // An interpreter inside another program.
  EXPECT_EQ("PPyP", unfolded("SSPPGIyGP"));
  EXPECT_EQ("PSy", unfolded("SPSIy"));
  // A folded Python frame is a Python frame for its neighbours.
  EXPECT_EQ("yP", unfolded("SIyIfGFGP"));
  EXPECT_EQ("yP", unfolded("yLfP"));
}

/// Each stack of a tree, outermost frame first.
std::string frames(const StackView &V, uint32_t Stack) {
  std::string Text;
  for (uint32_t N = V.leaf(Stack); N; N = V.parent(N)) {
    EXPECT_LT(V.parent(N), N);
    Text.insert(Text.begin(), "?PyLIAGSFf"[V.frameOf(N)]);
  }
  return Text;
}

TEST(StackView, FoldsLikeEachStack) {
  std::mt19937 Random(11);
  std::vector<FrameRole> Roles{FrameRole::Program};
  for (char C : {'P', 'y', 'L', 'I', 'A', 'G', 'S', 'F', 'f'})
    Roles.push_back(roleOf(C));
  for (int Round = 0; Round != 500; ++Round) {
    StackView All;
    for (uint32_t N = 1; N != 60; ++N) {
      All.Parents.push_back(Random() % 3 ? Random() % N : N - 1);
      All.Frames.push_back(1 + Random() % 9);
    }
    for (int S = 0; S != 30; ++S)
      All.Leaves.push_back(Random() % 60);
    StackView V = foldStacks(All, Roles);
    ASSERT_EQ(All.Leaves.size(), V.Leaves.size());
    std::map<std::string, uint32_t> LeafOf;
    for (uint32_t S = 0; S != All.Leaves.size(); ++S) {
      ASSERT_EQ(unfolded(frames(All, S)), frames(V, S)) << frames(All, S);
      auto [At, IsNew] = LeafOf.try_emplace(frames(V, S), V.leaf(S));
      // All of these trees have a Python frame.
      ASSERT_EQ(At->second, V.leaf(S)) << frames(V, S);
    }
  }
}

} // namespace
