// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables that fit the terminal.

#include "Support/Table.h"
#include "gtest/gtest.h"

using namespace memkit;
using ColumnAlign = Table::Side;

static std::string printed(const Table &T, unsigned Width) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  T.print(OS, Width);
  return Text;
}

TEST(Table, AlignsColumns) {
  Table T({{"size", ColumnAlign::Right}, {"name", ColumnAlign::Left}});
  T.add({"1.5 GiB", "main"});
  T.add({"3 B", "f"});
  EXPECT_EQ(printed(T, 0), "   size  name\n"
                           "1.5 GiB  main\n"
                           "    3 B  f\n");
}

TEST(Table, FlexibleColumnGivesWay) {
  Table T({{"name", ColumnAlign::Left, true}, {"size", ColumnAlign::Right}});
  T.add({"a_rather_long_function_name", "3 B"});
  EXPECT_EQ(printed(T, 20), "name            size\n"
                            "a_r...ion_name   3 B\n");
  EXPECT_EQ(printed(T, 0), "name                         size\n"
                           "a_rather_long_function_name   3 B\n");
}

TEST(Table, DropsColumnsThatDoNotFit) {
  Table T({{"size", ColumnAlign::Right},
           {"share", ColumnAlign::Right, false, 1},
           {"place", ColumnAlign::Left, true},
           {"source", ColumnAlign::Left, true, 2}});
  T.add({"1.5 GiB", "12 %", "train.py:12 main", "x = load(everything)"});
  EXPECT_EQ(printed(T, 60),
            "   size  share  place             source\n"
            "1.5 GiB   12 %  train.py:12 main  x = load(everything)\n");
  EXPECT_EQ(printed(T, 48), "   size  share  place\n"
                            "1.5 GiB   12 %  train.py:12 main\n");
  EXPECT_EQ(printed(T, 34), "   size  share  place\n"
                            "1.5 GiB   12 %  train.py:12 main\n");
  EXPECT_EQ(printed(T, 25), "   size  place\n"
                            "1.5 GiB  train.py:12 main\n");
  // Columns without a rank go from the right, the first one never.
  EXPECT_EQ(printed(T, 12), "   size\n1.5 GiB\n");
  EXPECT_EQ(printed(T, 5), " size\n1.5 G\n");
}

TEST(Table, WrapsTheLastColumn) {
  Table T({{"", ColumnAlign::Left},
           {"", ColumnAlign::Left, true, 0, /*Wraps=*/true}});
  T.hideTitles();
  T.add({"peak", "1.5 GiB at 12 s, step 4"});
  EXPECT_EQ(printed(T, 0), "peak  1.5 GiB at 12 s, step 4\n");
  EXPECT_EQ(printed(T, 22), "peak  1.5 GiB at 12 s,\n"
                            "      step 4\n");
}

TEST(Table, ShortensWholeCharacters) {
  EXPECT_EQ(shorten("short", 8), "short");
  EXPECT_EQ(shorten("0123456789", 9), "01...6789");
  // Each of these characters takes one column and two bytes.
  EXPECT_EQ(
      shorten("\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4",
              9),
      "\u00e4\u00e4...\u00e4\u00e4\u00e4\u00e4");
  EXPECT_EQ(shorten("0123456789", 4), "0123");
  // Bytes that are not UTF-8 count one column each.
  EXPECT_EQ(shorten("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9).size(), 9u);
}

TEST(Table, PrintsMarkdown) {
  Table T({{"size", ColumnAlign::Right}, {"function", ColumnAlign::Left}});
  T.add({"1.5 GiB", "<module> __init__"});
  T.add({"3 B", "a|b"});
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  T.printMarkdown(OS);
  EXPECT_EQ(Text, "| size | function |\n"
                  "| ---: | --- |\n"
                  "| 1.5 GiB | \\<module> \\_\\_init\\_\\_ |\n"
                  "| 3 B | a\\|b |\n");
}
