// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The times of which intervals know a process's values.

#ifndef MEMKIT_LIB_WATCH_KNOWNTIMES_H
#define MEMKIT_LIB_WATCH_KNOWNTIMES_H

#include "memkit/Model/Intervals.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

namespace memkit {

/// The last interval that has ended at Ns; none: before the first end.
inline std::optional<size_t> headAt(const ProcessIntervals &P, uint64_t Ns) {
  auto At =
      llvm::upper_bound(P.Heads, Ns, [](uint64_t T, const IntervalHead &H) {
        return T < H.EndNs;
      });
  if (At == P.Heads.begin())
    return std::nullopt;
  return size_t(At - P.Heads.begin()) - 1;
}

/// The last time up to Ns of which the values are known: Ns itself in quiet
/// time before a later interval, else the end of Last, the interval before.
inline uint64_t knownAt(const ProcessIntervals &P, size_t Last, uint64_t Ns) {
  bool IsQuiet = Last + 1 != P.Heads.size() && P.Heads[Last + 1].BeginNs >= Ns;
  return IsQuiet ? Ns : P.Heads[Last].EndNs;
}

} // namespace memkit

#endif // MEMKIT_LIB_WATCH_KNOWNTIMES_H
