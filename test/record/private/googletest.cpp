// Tests of GoogleTest are scopes, linked statically and as a library; gates name the tests that keep memory.
//
// REQUIRES: googletest
// RUN: %cxx -O1 -g %s -o %t.exe -lgtest -lpthread
// RUN: %t.exe --gtest_brief=1 > %t.plain
// RUN: memrec -q -o %t.fb --force -- %t.exe --gtest_brief=1
// RUN: memrec -q -o %t.fb --force -- %t.exe --gtest_brief=1 --gtest_print_time=0 > %t.recorded
// RUN: memdump --check %t.fb
// RUN: memdump --scopes --format=csv %t.fb > %t.csv
// RUN: FileCheck %s < %t.csv
//      CHECK: {{^}}Table.Grows,1,
//      CHECK: {{^}}Table.IsEmptyAfterItsLastRowHasGone,1,
//      CHECK: {{^}}Typed/0.Keeps,1,
//      CHECK: {{^}}Sizes/Each.OfAll/0,1,
// CHECK-NEXT: {{^}}Sizes/Each.OfAll/1,1,
// RUN: memstat -q %t.fb --fail-on='Table.Is*:kept>4KiB,Sizes/*:rise>3MiB'
// RUN: not memstat %t.fb --fail-on='kept>90KB' 2>&1 >/dev/null | FileCheck %s --check-prefix=KEPT
//      KEPT: memstat: Typed/0.Keeps: kept 97.7 KiB
// KEPT-NEXT: memstat: --fail-on: kept>90KB holds
// RUN: not memstat %t.fb --fail-on='Sizes/*:rise>1900KB' 2>&1 >/dev/null | FileCheck %s --check-prefix=RISE
// RISE: memstat: Sizes/Each.OfAll/1: rise 1.91 MiB
// RUN: not memstat %t.fb --fail-on='None*:kept>1KiB' 2>&1 >/dev/null | FileCheck %s --check-prefix=NONE
// NONE: --fail-on=None*:kept>1KiB: cannot judge kept: the trace does not have it
//
// RUN: memrec -q -o %t.fb --force --no-private -- %t.exe --gtest_brief=1
// RUN: memdump --scopes --format=csv %t.fb | FileCheck %s --check-prefix=OFF
// OFF-NOT: Table.Grows
#include <gtest/gtest.h>
#include <string>
#include <vector>

static void *volatile Kept;

TEST(Table, Grows) {
  std::vector<std::string> Rows(1000, std::string(100, 'x'));
  EXPECT_EQ(Rows.size(), 1000u);
}
TEST(Table, IsEmptyAfterItsLastRowHasGone) { delete new int; }
TEST(Table, DISABLED_Disabled) {}
TEST(Table, DiesAlone) { EXPECT_EXIT(exit(3), testing::ExitedWithCode(3), ""); }

class Each : public testing::TestWithParam<int> {};
TEST_P(Each, OfAll) {
  char *volatile Block = new char[GetParam()];
  delete[] Block;
}
INSTANTIATE_TEST_SUITE_P(Sizes, Each, testing::Values(1000, 2000000));

template <typename T> class Typed : public testing::Test {};
TYPED_TEST_SUITE(Typed, testing::Types<int>);
TYPED_TEST(Typed, Keeps) { Kept = malloc(100000); }

int main(int Count, char **Args) {
  testing::InitGoogleTest(&Count, Args);
  return RUN_ALL_TESTS();
}
