// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes that are named later.

#include "Trace/ScopeTree.h"
#include "Trace/Catalog.h"
#include "gtest/gtest.h"

using namespace memkit;

TEST(ScopeTree, AScopeIsRenamedUntilItIsWritten) {
  Catalog Names;
  ScopeTree T(Names);
  EXPECT_FALSE(T.awaitsNames());
  uint32_t First = T.newScope(ScopeKind::Layer, "Linear");
  uint32_t Second = T.newScope(ScopeKind::Layer, "Linear");
  EXPECT_NE(First, Second);
  EXPECT_TRUE(T.awaitsNames());
  EXPECT_TRUE(T.rename(First, ScopeKind::Layer, "head"));
  EXPECT_TRUE(T.awaitsNames());
  // The new name leads to the renamed scope and its scope path.
  EXPECT_EQ(T.enterScope(0, First),
            T.enter(0, ScopeKind::Layer, "head", 0).ScopePath);
  Names.pending().Scopes.clear(); // written
  EXPECT_FALSE(T.awaitsNames());
  EXPECT_FALSE(T.rename(Second, ScopeKind::Layer, "tail"));
  EXPECT_FALSE(T.awaitsNames());
}

TEST(ScopeTree, NothingIsAwaitedOnceAllHaveNames) {
  Catalog Names;
  ScopeTree T(Names);
  uint32_t Scope = T.newScope(ScopeKind::Layer, "Linear");
  T.enter(0, ScopeKind::Operator, "aten::add", 0);
  EXPECT_TRUE(T.awaitsNames());
  EXPECT_TRUE(T.rename(Scope, ScopeKind::Layer, "head"));
  EXPECT_FALSE(T.awaitsNames());
}
