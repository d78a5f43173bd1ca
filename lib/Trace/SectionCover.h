// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The range that a section covers.

#ifndef MEMKIT_LIB_TRACE_SECTIONCOVER_H
#define MEMKIT_LIB_TRACE_SECTIONCOVER_H

#include "EventLog.h"
#include "memkit/Trace/Sections.h"
#include <algorithm>

namespace memkit {

/// The Process, Epoch, times and Events of a section in the index. Writer and
/// scan both use these functions, so their SectionInfos agree.
template <class T> SectionInfo sectionCover(const T &) { return {}; }

inline SectionInfo sectionCover(const Events &E) {
  SectionInfo I;
  I.Process = E.Process;
  I.Epoch = E.Epoch;
  I.Events = E.Rows.size();
  if (!E.Rows.empty()) {
    I.BeginNs = E.Rows.front().TimeNs;
    I.EndNs = E.Rows.back().TimeNs;
  }
  return I;
}

inline SectionInfo sectionCover(const EventLog &L) {
  SectionInfo I;
  I.Process = L.Process;
  I.Epoch = L.Epoch;
  I.Events = L.size();
  I.BeginNs = L.beginNs();
  I.EndNs = L.endNs();
  return I;
}

inline SectionInfo sectionCover(const Marks &M) {
  SectionInfo I;
  if (M.Rows.empty())
    return I;
  auto [First, Last] = std::minmax_element(
      M.Rows.begin(), M.Rows.end(),
      [](const Mark &A, const Mark &B) { return A.TimeNs < B.TimeNs; });
  I.BeginNs = First->TimeNs;
  I.EndNs = Last->TimeNs;
  return I;
}

inline SectionInfo sectionCover(const Intervals &S) {
  SectionInfo I;
  I.Process = S.Process;
  if (!S.Rows.empty()) {
    I.BeginNs = S.Rows.front().BeginNs;
    I.EndNs = std::max(I.BeginNs, S.Rows.back().EndNs);
  }
  return I;
}

inline SectionInfo sectionCover(const Snapshot &K) {
  SectionInfo I;
  I.Process = K.Process;
  I.BeginNs = I.EndNs = K.TimeNs;
  return I;
}

inline SectionInfo sectionCover(const Lifetimes &L) {
  SectionInfo I;
  I.Process = L.Process;
  return I;
}

inline SectionInfo sectionCover(const BlockCategories &C) {
  SectionInfo I;
  I.Process = C.Process;
  return I;
}

inline SectionInfo sectionCover(const ScopeTimes &S) {
  SectionInfo I;
  I.Process = S.Process;
  for (const ThreadScopes &T : S.Threads) {
    uint64_t EndNs = T.FirstNs;
    for (uint8_t Gap : T.Gaps)
      EndNs += ScopeGap::decode(Gap) * TimeUnitNs;
    bool IsFirst = &T == &S.Threads.front();
    I.BeginNs = IsFirst ? T.FirstNs : std::min(I.BeginNs, T.FirstNs);
    I.EndNs = std::max(I.EndNs, EndNs);
  }
  return I;
}

inline SectionInfo sectionCover(const DeviceSpans &S) {
  SectionInfo I;
  I.Process = S.Process;
  for (const DeviceSpan &R : S.Rows) {
    bool IsFirst = &R == &S.Rows.front();
    I.BeginNs = IsFirst ? R.BeginNs : std::min(I.BeginNs, R.BeginNs);
    I.EndNs = std::max(I.EndNs, R.BeginNs + R.DurationNs);
  }
  return I;
}

inline SectionInfo sectionCover(const Summary &S) {
  SectionInfo I;
  I.BeginNs = I.EndNs = S.EndNs;
  return I;
}

inline SectionInfo sectionCover(const Partial &P) {
  SectionInfo I;
  I.BeginNs = I.EndNs = P.EndNs;
  return I;
}

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_SECTIONCOVER_H
