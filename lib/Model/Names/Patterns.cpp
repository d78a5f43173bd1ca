// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns of names.

#include "memkit/Model/Patterns.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

bool matchPattern(StringRef Pattern, StringRef Text) {
  if (Text.empty())
    return false;
  bool AtBegin = Pattern.consume_front("^");
  bool AtEnd = Pattern.consume_back("$");
  SmallVector<StringRef, 4> Pieces;
  Pattern.split(Pieces, '*');
  // Each piece matches at its first occurrence, which leaves the most text for
  // later pieces.
  for (size_t I = 0; I != Pieces.size(); ++I) {
    bool Last = I + 1 == Pieces.size();
    if (Last && AtEnd)
      return (I == 0 && AtBegin) ? Text == Pieces[I]
                                 : Text.ends_with(Pieces[I]);
    if (I == 0 && AtBegin) {
      if (!Text.consume_front(Pieces[I]))
        return false;
      continue;
    }
    size_t At = Text.find(Pieces[I]);
    if (At == StringRef::npos)
      return false;
    Text = Text.drop_front(At + Pieces[I].size());
  }
  return true;
}

void PatternList::add(StringRef Pattern, uint32_t Value) {
  uint32_t Index = Patterns.size();
  Patterns.push_back({Pattern.str(), Value});
  StringRef Text = Pattern;
  if (Text.size() < 2 || !Text.consume_front("^") || Text.front() == '*') {
    Others.push_back(Index);
    return;
  }
  Starts[static_cast<uint8_t>(Text.front())] = true;
  if (Text.ends_with("$") && !Text.contains('*') && Text.size() > 1)
    Exact.try_emplace(Text.drop_back(), Index);
  else
    ByFirst[static_cast<uint8_t>(Text.front())].push_back(Index);
}

std::optional<uint32_t> PatternList::find(StringRef Text) const {
  // Most names match nothing.
  if (Text.empty() ||
      (!Starts[static_cast<uint8_t>(Text.front())] && Others.empty()))
    return std::nullopt;
  uint32_t Best = UINT32_MAX;
  if (auto At = Exact.find(Text); At != Exact.end())
    Best = At->second;
  auto Try = [&](ArrayRef<uint32_t> Indices) {
    for (uint32_t Index : Indices) {
      if (Index >= Best)
        return;
      if (matchPattern(Patterns[Index].Text, Text)) {
        Best = Index;
        return;
      }
    }
  };
  Try(ByFirst[static_cast<uint8_t>(Text.front())]);
  Try(Others);
  if (Best == UINT32_MAX)
    return std::nullopt;
  return Patterns[Best].Value;
}

/// Removes `function=`, `file=` or `binary=` from the front of Pattern.
static unsigned consumeField(StringRef &Pattern) {
  if (Pattern.consume_front("function="))
    return NF_Function;
  if (Pattern.consume_front("file="))
    return NF_File;
  return Pattern.consume_front("binary=") ? unsigned(NF_Binary) : 0;
}

bool NamePatterns::add(StringRef Pattern, uint32_t Value, unsigned Fields) {
  if (unsigned Chosen = consumeField(Pattern))
    Fields = Chosen;
  if (Pattern.empty())
    return false;
  if (Fields & NF_Function)
    Function.add(Pattern, Value);
  if (Fields & NF_File)
    File.add(Pattern, Value);
  if (Fields & NF_Binary)
    Binary.add(Pattern, Value);
  return true;
}

std::optional<uint32_t> NamePatterns::find(const FrameNames &F) const {
  std::optional<uint32_t> Best;
  for (std::optional<uint32_t> Found :
       {Function.find(F.Function), File.find(F.File), Binary.find(F.Binary)})
    if (Found && (!Best || *Found < *Best))
      Best = Found;
  return Best;
}

} // namespace memkit
