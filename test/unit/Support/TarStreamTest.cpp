// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/TarStream.h"
#include "gtest/gtest.h"

using namespace memkit;

TEST(TarStream, IsInBlocks) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  TarStream T(OS, "folder");
  T.add("a.txt", "abc", 1);
  T.add("empty", "", 0);
  T.finish();
  // Two headers, a block of bytes, two empty blocks at the end.
  ASSERT_EQ(Out.size(), 512u * 5);
  EXPECT_EQ(Out.substr(0, 13), std::string("folder/a.txt\0", 13));
  EXPECT_EQ(Out.substr(124, 12), std::string("00000000003\0", 12));
  EXPECT_EQ(Out.substr(257, 5), "ustar");
  EXPECT_EQ(Out.substr(512, 4), std::string("abc\0", 4));
  EXPECT_EQ(Out.substr(512 * 2, 12), "folder/empty");
  // The checksum: the sum of the header with blanks in its place.
  unsigned Sum = 0;
  for (size_t I = 0; I != 512; ++I)
    Sum += I >= 148 && I < 156 ? ' ' : static_cast<unsigned char>(Out[I]);
  EXPECT_EQ(std::stoul(Out.substr(148, 6), nullptr, 8), Sum);
}
