// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of large blocks.

#include "Cli/LargePages.h"
#include "llvm/Support/Compiler.h"
#include "gtest/gtest.h"
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

TEST(LargePages, LargeBlocksBeginAtALargePage) {
  if (LLVM_ADDRESS_SANITIZER_BUILD || LLVM_THREAD_SANITIZER_BUILD)
    GTEST_SKIP() << "sanitizers have an operator new of their own";
  const size_t Page = 2 << 20;
  memkit::useLargePages();
  for (size_t Size : {Page, Page + 1, 5 * Page - 8}) {
    std::vector<std::vector<char>> Blocks;
    for (int I = 0; I < 4; ++I) {
      Blocks.emplace_back(Size, 'x'); // writable to the end
      EXPECT_EQ(reinterpret_cast<uintptr_t>(Blocks.back().data()) % Page, 0u);
    }
    for (const std::vector<char> &B : Blocks)
      EXPECT_EQ(B.back(), 'x');
  }
  // Small blocks share pages.
  char *A = new char[1000], *B = new char[1000];
  EXPECT_LT(A < B ? B - A : A - B, 1 << 20);
  delete[] A;
  delete[] B;
}

} // namespace
