// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sentence for a finding of the capture library.

#include "Session/FindingSentence.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace llvm;
using namespace memkit;

FindingFacts FindingFacts::read(const wire::SourceFinding &Of) {
  FindingFacts F;
  F.Code = Of.Code.load(std::memory_order_acquire);
  F.Why = Of.Why.load(std::memory_order_relaxed);
  F.Argument = Of.Argument.load(std::memory_order_relaxed);
  F.Name.assign(Of.Name, strnlen(Of.Name, sizeof(Of.Name)));
  for (char &C : F.Name)
    C = isPrint(C) ? C : '?';
  return F;
}

std::string memkit::pythonVersion(uint32_t Hex) {
  return std::to_string(Hex >> 24) + "." + std::to_string(Hex >> 16 & 255) +
         "." + std::to_string(Hex >> 8 & 255);
}

const wire::FindingText *memkit::findText(const wire::FindingTexts &Of,
                                          uint32_t Code, uint32_t Why) {
  const wire::FindingText *T = find_if(Of, [&](const wire::FindingText &Text) {
    return (Text.Code == Code || Text.Code == wire::AnyCode) &&
           (!Text.Why || Text.Why == Why);
  });
  return T == Of.end() ? nullptr : T;
}

/// What a letter after `%` stands for.
static std::string placeholder(char Letter, const FindingFacts &F) {
  switch (Letter) {
  case 'd':
    return std::to_string(F.Argument);
  case 'v':
    return F.Argument ? " " + pythonVersion(F.Argument) : "";
  case 'n':
    return F.Name.empty() ? "" : ": " + F.Name;
  case 's':
    return F.Name.empty() ? "" : " " + F.Name;
  default:
    return F.Parts;
  }
}

static std::string expand(StringRef Text, const FindingFacts &F) {
  std::string Out;
  while (!Text.empty()) {
    auto [Before, After] = Text.split('%');
    Out += Before;
    if (!After.empty())
      Out += placeholder(After.front(), F);
    Text = After.drop_front(After.empty() ? 0 : 1);
  }
  return Out;
}

static std::string reasonOf(const wire::FindingText &T, const FindingFacts &F) {
  const char *Reason = F.Name.empty() && T.Nameless ? T.Nameless : T.Reason;
  return Reason ? ": " + expand(Reason, F) : "";
}

std::string memkit::findingSentence(const wire::FindingText &T,
                                    const wire::FindingTexts &Of,
                                    const FindingFacts &F) {
  std::string Text = expand(T.Text, F) + reasonOf(T, F);
  if (!T.Why && F.Why)
    if (const wire::FindingText *Why = findText(Of, F.Why, 0))
      Text += reasonOf(*Why, F);
  return Text;
}
