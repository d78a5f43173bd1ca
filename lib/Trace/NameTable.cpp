// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strings and functions of a trace that is being written.

#include "NameTable.h"

using namespace llvm;
using namespace memkit;

/// The maximum length of a string; longer names are cut.
static constexpr size_t MaxStringBytes = 65536;

uint32_t NameTable::string(StringRef Text) {
  if (Text.empty())
    return 0;
  Text = Text.take_front(MaxStringBytes);
  auto [It, New] = Strings.try_emplace(Text, NumStrings + 1);
  if (New) {
    ++NumStrings;
    Pending.Strings.push_back(Text.str());
  }
  return It->second;
}

static std::pair<uint64_t, uint32_t> keyOf(const Function &F) {
  return {uint64_t(F.Name) << 32 | F.File, F.Line};
}

uint32_t NameTable::function(const Function &F) {
  auto [It, New] = Functions.try_emplace(keyOf(F), NumFunctions + 1);
  if (New) {
    ++NumFunctions;
    Pending.Functions.push_back(F);
  }
  return It->second;
}

void NameTable::addSymbols(uint32_t Frame, ArrayRef<SourceLocation> Locations) {
  FrameSymbols &S = Pending.Symbols.emplace_back();
  S.Frame = Frame;
  for (const SourceLocation &L : Locations.take_front(255)) {
    Function F;
    F.Name = string(L.Function);
    F.File = string(L.File);
    F.Line = L.StartLine;
    S.Locations.push_back({function(F), L.Line});
  }
}

void NameTable::learn(const Dictionary &D) {
  for (const std::string &Text : D.Strings)
    Strings.try_emplace(Text, ++NumStrings);
  for (const Function &F : D.Functions)
    Functions.try_emplace(keyOf(F), ++NumFunctions);
}
