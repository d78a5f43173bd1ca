// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When threads enter and leave scopes.

#include "memkit/Trace/ScopeTimes.h"
#include "memkit/Trace/SectionLimits.h"
#include <algorithm>

using namespace memkit;

static void addChanges(const ThreadScopes &T, std::vector<ScopeChange> &Out) {
  uint64_t TimeNs = T.FirstNs;
  for (size_t I = 0; I != T.size(); ++I) {
    TimeNs += ScopeGap::decode(T.Gaps[I]) * TimeUnitNs;
    Out.push_back({TimeNs, T.Thread, T.ScopePaths[I]});
  }
}

std::vector<ScopeChange> memkit::changesOf(const ThreadScopes &T) {
  std::vector<ScopeChange> Out;
  Out.reserve(T.size());
  addChanges(T, Out);
  return Out;
}

std::vector<ScopeChange> memkit::changesOf(const ScopeTimes &S) {
  std::vector<ScopeChange> Out;
  Out.reserve(S.numChanges());
  for (const ThreadScopes &T : S.Threads)
    addChanges(T, Out);
  std::stable_sort(Out.begin(), Out.end(),
                   [](const ScopeChange &A, const ScopeChange &B) {
                     return A.TimeNs < B.TimeNs;
                   });
  return Out;
}

void ScopeTimesAdder::add(ThreadScopes &Of, uint64_t TimeNs,
                          uint32_t ScopePath) {
  uint64_t Tick = TimeNs / TimeUnitNs;
  if (Of.Gaps.empty()) {
    Ticks = Tick;
    Of.FirstNs = Tick * TimeUnitNs;
  }
  uint8_t Gap = ScopeGap::encode(Tick > Ticks ? Tick - Ticks : 0);
  Ticks += ScopeGap::decode(Gap);
  Of.Gaps.push_back(Gap);
  Of.ScopePaths.push_back(ScopePath);
}
