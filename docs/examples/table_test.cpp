// A test program for docs/HowTo/CppTests.md: one test keeps its rows.
#include <gtest/gtest.h>
#include <string>
#include <vector>

static std::vector<std::string> load(int Rows) {
  return std::vector<std::string>(Rows, std::string(100, 'x'));
}

TEST(Table, Loads) { EXPECT_EQ(load(1000).size(), 1000u); }

TEST(Table, Sorts) { EXPECT_EQ(load(20000).size(), 20000u); }

TEST(Table, Clears) {
  auto *Rows = new std::vector<std::string>(load(500));
  EXPECT_EQ(Rows->size(), 500u);
}
