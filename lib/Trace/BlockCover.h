// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a block covers.

#ifndef MEMKIT_LIB_TRACE_BLOCKCOVER_H
#define MEMKIT_LIB_TRACE_BLOCKCOVER_H

#include "memkit/Trace/Blocks.h"
#include "memkit/Trace/EventLog.h"
#include <algorithm>

namespace memkit {

/// The Process, Epoch, times and Events that the index tells of a block. Writer
/// and scan use the same, so that both give the same BlockInfo.
template <class T> BlockInfo blockCover(const T &) { return {}; }

inline BlockInfo blockCover(const Events &E) {
  BlockInfo I;
  I.Process = E.Process;
  I.Epoch = E.Epoch;
  I.Events = E.Rows.size();
  if (!E.Rows.empty()) {
    I.BeginNs = E.Rows.front().TimeNs;
    I.EndNs = E.Rows.back().TimeNs;
  }
  return I;
}

inline BlockInfo blockCover(const EventLog &L) {
  BlockInfo I;
  I.Process = L.Process;
  I.Epoch = L.Epoch;
  I.Events = L.size();
  I.BeginNs = L.beginNs();
  I.EndNs = L.endNs();
  return I;
}

inline BlockInfo blockCover(const Marks &M) {
  BlockInfo I;
  if (M.Rows.empty())
    return I;
  auto [First, Last] = std::minmax_element(
      M.Rows.begin(), M.Rows.end(),
      [](const Mark &A, const Mark &B) { return A.TimeNs < B.TimeNs; });
  I.BeginNs = First->TimeNs;
  I.EndNs = Last->TimeNs;
  return I;
}

inline BlockInfo blockCover(const Intervals &S) {
  BlockInfo I;
  I.Process = S.Process;
  if (!S.Rows.empty()) {
    I.BeginNs = S.Rows.front().BeginNs;
    I.EndNs = std::max(I.BeginNs, S.Rows.back().EndNs);
  }
  return I;
}

inline BlockInfo blockCover(const Snapshot &K) {
  BlockInfo I;
  I.Process = K.Process;
  I.BeginNs = I.EndNs = K.TimeNs;
  return I;
}

inline BlockInfo blockCover(const Lifetimes &L) {
  BlockInfo I;
  I.Process = L.Process;
  return I;
}

inline BlockInfo blockCover(const Summary &S) {
  BlockInfo I;
  I.BeginNs = I.EndNs = S.EndNs;
  return I;
}

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_BLOCKCOVER_H
