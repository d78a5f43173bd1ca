// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Export/OrderedText.h"
#include "Support/RunEach.h"
#include "gtest/gtest.h"
#include <atomic>
#include <stdexcept>

using namespace llvm;
using namespace memkit;

namespace {

constexpr size_t NumParts = 40, MaxKept = 100000;

/// Writes a few lines to Part, to some parts more than MaxKept.
bool writePart(OrderedText::TextPart &Part, size_t Number) {
  size_t NumLines = Number % 7 == 0 ? 20000 : 30;
  for (size_t I = 0; I != NumLines; ++I) {
    Part.os() << Number << ' ' << I << '\n';
    if (!Part.advance())
      return false;
  }
  return true;
}

std::string textOf(size_t NumParts) {
  std::string Text;
  raw_string_ostream OS(Text);
  for (size_t Number = 0; Number != NumParts; ++Number)
    for (size_t I = 0; I != (Number % 7 == 0 ? 20000 : 30); ++I)
      OS << Number << ' ' << I << '\n';
  return Text;
}

TEST(OrderedText, WritesPartsInOrder) {
  std::string Written;
  raw_string_ostream OS(Written);
  OrderedText Text(OS, [] { return false; }, MaxKept);
  runEach(NumParts, [&](size_t At) {
    OrderedText::TextPart Part(Text, At);
    EXPECT_TRUE(writePart(Part, At));
    Part.finish();
  });
  EXPECT_FALSE(Text.isStopped());
  EXPECT_EQ(Written, textOf(NumParts));
}

TEST(OrderedText, EndsWhenNoTextIsWanted) {
  std::string Written;
  raw_string_ostream OS(Written);
  OrderedText Text(OS, [&] { return Written.size() > 100000; }, MaxKept);
  std::atomic<size_t> Ended{0};
  runEach(NumParts, [&](size_t At) {
    OrderedText::TextPart Part(Text, At);
    writePart(Part, At);
    Part.finish();
    ++Ended;
  });
  EXPECT_TRUE(Text.isStopped());
  EXPECT_EQ(Ended, NumParts);
  EXPECT_LT(Written.size(), 400000u);
  EXPECT_EQ(Written, textOf(NumParts).substr(0, Written.size()));
}

TEST(OrderedText, AnExceptionEndsAllParts) {
  std::string Written;
  raw_string_ostream OS(Written);
  OrderedText Text(OS, [] { return false; }, MaxKept);
  auto Run = [&] {
    runEach(NumParts, [&](size_t At) {
      OrderedText::TextPart Part(Text, At);
      writePart(Part, At);
      if (At == 3)
        throw std::runtime_error("no memory");
      Part.finish();
    });
  };
  EXPECT_THROW(Run(), std::runtime_error);
  EXPECT_TRUE(Text.isStopped());
}

} // namespace
