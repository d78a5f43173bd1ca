// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbols of one binary.

#include "Symbolize/BinarySymbols.h"
#include "Symbolize/SymbolFiles.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <fstream>
#include <string>

using namespace llvm;
using namespace memkit;

namespace {

/// The pages in memory, in KiB, of this process's mappings of at least MinKiB
/// of the file.
uint64_t residentKiB(StringRef Path, uint64_t MinKiB) {
  std::ifstream Maps("/proc/self/smaps");
  uint64_t All = 0, Size = 0;
  bool IsOfFile = false;
  auto Number = [](StringRef Line) {
    StringRef Text = Line.split(':').second.ltrim();
    uint64_t Value = 0;
    EXPECT_FALSE(Text.consumeInteger(10, Value)) << Line.str();
    return Value;
  };
  for (std::string Text; std::getline(Maps, Text);) {
    StringRef Line(Text);
    if (Line.starts_with("Size:"))
      Size = Number(Line);
    else if (Line.starts_with("Rss:") && IsOfFile && Size >= MinKiB)
      All += Number(Line);
    else if (!Line.split(' ').first.ends_with(":"))
      IsOfFile = Line.ends_with(Path);
  }
  return All;
}

} // namespace

// The files' pages leave this process, and come back when they are needed.
TEST(BinarySymbols, ReleasesPages) {
  std::string Path = "/proc/self/exe";
  SmallString<256> Real;
  ASSERT_FALSE(sys::fs::real_path(Path, Real));
  uint64_t Size = 0;
  ASSERT_FALSE(sys::fs::file_size(Path, Size));
  SymbolFiles Files;
  Files.Symbols = std::string(Real);
  auto Symbols = BinarySymbols::open(Files, /*MaxSectionBytes=*/1 << 20);
  ASSERT_TRUE(static_cast<bool>(Symbols)) << toString(Symbols.takeError());
  // The mapping of the whole file: the loader's mappings are parts.
  EXPECT_NE(0u, residentKiB(Real, Size / 1024));
  (*Symbols)->releasePages();
  EXPECT_EQ(0u, residentKiB(Real, Size / 1024));
  (*Symbols)->resolve(0x1000);
  EXPECT_TRUE((*Symbols)->damage().empty());
}
