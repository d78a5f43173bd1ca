// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Shared/TorchVersions.h"
#include "gtest/gtest.h"

using namespace memkit;

TEST(TorchVersions, ReadsPlainTexts) {
  EXPECT_EQ(assignedText("__version__ = '2.13.0+cpu'\n", "__version__"),
            "2.13.0+cpu");
  EXPECT_EQ(
      assignedText("from x import y\ncuda: Optional[str] = \"12.8\"\n", "cuda"),
      "12.8");
}

TEST(TorchVersions, PassesOverAllElse) {
  EXPECT_EQ(assignedText("cuda: Optional[str] = None\n", "cuda"), "");
  EXPECT_EQ(assignedText("cuda_version = '12'\n", "cuda"), "");
  EXPECT_EQ(assignedText("cuda = '12\n", "cuda"), "");
  EXPECT_EQ(assignedText("cuda = '\n", "cuda"), "");
  EXPECT_EQ(assignedText("cuda = 'a\x1b[2Jb'\n", "cuda"), "");
  EXPECT_EQ(assignedText("cuda = '" + std::string(101, 'x') + "'", "cuda"), "");
  EXPECT_EQ(assignedText("", "cuda"), "");
}
