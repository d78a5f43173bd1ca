// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of a process's scopes.

#include "Scopes/ScopeNames.h"
#include "Output/Recording.h"
#include "Shared/SharedProcess.h"

using namespace llvm;
using namespace memkit;

const ScopeNames::ScopeName &ScopeNames::name(uint32_t Text) {
  // The capture library never writes more names: Text is invalid.
  if (Names.size() >= MaxNames && !Names.count(Text))
    Text = 0;
  auto [It, New] = Names.try_emplace(Text);
  if (!New)
    return It->second;
  ScopeName &N = It->second;
  if (!Shared.text(Text, N.Text))
    R.addLoss(Process, LossKind::BadRecord, 1);
  if (N.Text.empty())
    N.Text = "(no name)";
  N.String = R.names().Names.string(N.Text);
  N.EndsSteps = endsSteps(N.Text);
  return N;
}

/// Whether --step matches Name. A program with very many names has `#` in place
/// of the digits of its later names.
bool ScopeNames::endsSteps(StringRef Name) const {
  const std::optional<Regex> &Range = R.stepRange();
  if (!Range || Range->match(Name))
    return Range.has_value();
  std::string Digits = Name.str();
  std::replace(Digits.begin(), Digits.end(), '#', '0');
  return Digits != Name && Range->match(Digits);
}

uint32_t ScopeNames::own(StringRef Name) {
  if (auto It = OwnTexts.find(Name); It != OwnTexts.end())
    return It->second;
  if (OwnTexts.size() == MaxNames)
    return 0;
  uint32_t Text = FirstOwn + uint32_t(OwnTexts.size());
  ScopeName &N = Names[Text];
  N.Text = Name.str();
  N.String = R.names().Names.string(N.Text);
  return OwnTexts[Name] = Text;
}
