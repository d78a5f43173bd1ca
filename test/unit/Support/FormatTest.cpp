// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats and parses sizes, times and counts.

#include "memkit/Support/Format.h"
#include "gtest/gtest.h"

using namespace memkit;
using llvm::toString;

TEST(Format, Sizes) {
  EXPECT_EQ(formatSize(0), "0 B");
  EXPECT_EQ(formatSize(1023), "1023 B");
  EXPECT_EQ(formatSize(1024), "1 KiB");
  EXPECT_EQ(formatSize(1536), "1.5 KiB");
  EXPECT_EQ(formatSize(10 * 1024 + 512), "10.5 KiB");
  EXPECT_EQ(formatSize(1023 * 1024), "1023 KiB");
  // A size that rounds to 1024 KiB is 1 MiB.
  EXPECT_EQ(formatSize((1 << 20) - 1), "1 MiB");
  EXPECT_EQ(formatSize(3ull << 29), "1.5 GiB");
  EXPECT_EQ(formatSize(UINT64_MAX), "16 EiB");
  EXPECT_EQ(formatSizeChange(1536), "+1.5 KiB");
  EXPECT_EQ(formatSizeChange(-3), "-3 B");
  EXPECT_EQ(formatSizeChange(0), "0 B");
  EXPECT_EQ(formatSizeChange(INT64_MIN), "-8 EiB");
}

TEST(Format, Estimates) {
  EXPECT_EQ(formatEstimate(12'900'000, 0), "12.3 MiB");
  EXPECT_EQ(formatEstimate(12'900'000, 419'430), "12.3 MiB ±0.4");
  EXPECT_EQ(formatEstimate(3ull << 30, 40 << 20), "3 GiB ±0.0");
  EXPECT_EQ(formatEstimate(200 << 20, 10 << 20), "200 MiB ±10");
  // The error has its own unit if the estimate's unit does not fit.
  EXPECT_EQ(formatEstimate(0, 2048), "0 B ±2 KiB");
  EXPECT_EQ(formatEstimate(2048, 5 << 20), "2 KiB ±5 MiB");
}

TEST(Format, Times) {
  EXPECT_EQ(formatTime(850), "850 ns");
  EXPECT_EQ(formatTime(12'340'000), "12.3 ms");
  EXPECT_EQ(formatTime(999'700'000), "1 s");
  EXPECT_EQ(formatTime(4'560'000'000), "4.56 s");
  EXPECT_EQ(formatTime(59'600'000'000), "1m 00s");
  EXPECT_EQ(formatTime(123'000'000'000), "2m 03s");
  EXPECT_EQ(formatTime(3'720'000'000'000), "1h 02m");
}

TEST(Format, Counts) {
  EXPECT_EQ(formatCount(0), "0");
  EXPECT_EQ(formatCount(999), "999");
  EXPECT_EQ(formatCount(12345), "12,345");
  EXPECT_EQ(formatCount(1234567), "1,234,567");
  EXPECT_EQ(formatCountChange(-12345), "-12,345");
}

static uint64_t sizeOf(llvm::StringRef Text) {
  return llvm::cantFail(parseSize(Text));
}

TEST(Format, ParsesSizes) {
  EXPECT_EQ(sizeOf("4096"), 4096u);
  EXPECT_EQ(sizeOf("64K"), 65536u);
  EXPECT_EQ(sizeOf("64k"), 65536u);
  EXPECT_EQ(sizeOf("1.5GiB"), 3ull << 29);
  EXPECT_EQ(sizeOf("1.5 GiB"), 3ull << 29);
  EXPECT_EQ(sizeOf("10MB"), 10'000'000u);
  EXPECT_EQ(sizeOf("7B"), 7u);
  EXPECT_EQ(sizeOf("18446744073709551615"), UINT64_MAX);
  for (const char *Wrong : {"", "K", "-1", "1X", "1Kx", "1.2.3", "16E", "1e3"})
    EXPECT_TRUE(llvm::errorToBool(parseSize(Wrong).takeError())) << Wrong;
  EXPECT_EQ(toString(parseSize("big").takeError()),
            "'big' is not a size (such as 4096, 64K or 1.5GiB)");
}

TEST(Format, ParsesTimes) {
  EXPECT_EQ(llvm::cantFail(parseTime("30")), 30'000'000'000u);
  EXPECT_EQ(llvm::cantFail(parseTime("1.5ms")), 1'500'000u);
  EXPECT_EQ(llvm::cantFail(parseTime("2m")), 120'000'000'000u);
  EXPECT_EQ(llvm::cantFail(parseTime("250ns")), 250u);
  EXPECT_TRUE(llvm::errorToBool(parseTime("soon").takeError()));
  EXPECT_TRUE(llvm::errorToBool(parseTime("3 weeks").takeError()));
}

TEST(Format, ParsesThresholds) {
  EXPECT_EQ(llvm::cantFail(parseThreshold("1%")).bytesOf(5000), 50u);
  EXPECT_EQ(llvm::cantFail(parseThreshold("0%")).bytesOf(5000), 0u);
  EXPECT_EQ(llvm::cantFail(parseThreshold("2K")).bytesOf(5000), 2048u);
  EXPECT_TRUE(llvm::errorToBool(parseThreshold("101%").takeError()));
  EXPECT_TRUE(llvm::errorToBool(parseThreshold("%").takeError()));
  EXPECT_TRUE(llvm::errorToBool(parseThreshold("1K%").takeError()));
}
