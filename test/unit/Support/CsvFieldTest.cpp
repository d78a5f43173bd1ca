// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names as cells of a table.

#include "Support/CsvField.h"
#include <gtest/gtest.h>

static std::string fieldOf(llvm::StringRef Text) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  memkit::printField(OS, Text);
  return Out;
}

TEST(CsvField, Quotes) {
  EXPECT_EQ(fieldOf(""), "");
  EXPECT_EQ(fieldOf("main;a-b=c"), "main;a-b=c");
  EXPECT_EQ(fieldOf("a,b"), "\"a,b\"");
  EXPECT_EQ(fieldOf("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(fieldOf("a\nb"), "\"a\nb\"");
  EXPECT_EQ(fieldOf("a\n=b"), "\"a\n'=b\"");
}

TEST(CsvField, Formulas) {
  EXPECT_EQ(fieldOf("=1+1"), "'=1+1");
  EXPECT_EQ(fieldOf("+1"), "'+1");
  EXPECT_EQ(fieldOf("-1"), "'-1");
  EXPECT_EQ(fieldOf("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(fieldOf("\t=1"), "'\t'=1");
  EXPECT_EQ(fieldOf("\r=1"), "\"'\r'=1\"");
  EXPECT_EQ(fieldOf("=F(\"x\",1)"), "\"'=F(\"\"x\"\",1)\"");
  EXPECT_EQ(fieldOf("\xef\xbc\x9d"
                    "1"),
            "'\xef\xbc\x9d"
            "1");
}

// Where a semicolon separates cells, a part of a path would be a cell.
TEST(CsvField, FormulasInPaths) {
  EXPECT_EQ(fieldOf("main;=1+1"), "main;'=1+1");
  EXPECT_EQ(fieldOf("=1;=2"), "'=1;'=2");
  EXPECT_EQ(fieldOf("==1;;--2;"), "'==1;;'--2;");
  EXPECT_EQ(fieldOf("main;"), "main;");
}
