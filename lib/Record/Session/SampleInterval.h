// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interval between two samples.

#ifndef MEMKIT_LIB_RECORD_SESSION_SAMPLEINTERVAL_H
#define MEMKIT_LIB_RECORD_SESSION_SAMPLEINTERVAL_H

#include <algorithm>
#include <cstdint>

namespace memkit {

/// The interval after Count samples, IntervalNs at first. The interval doubles
/// after 4,096 samples, and again after each further 2,048, so that the trace
/// of a run of days stays small.
inline uint64_t stretchedInterval(uint64_t IntervalNs, uint32_t Count) {
  constexpr uint32_t First = 4096, Next = 2048;
  unsigned Doublings = Count < First ? 0 : 1 + (Count - First) / Next;
  return IntervalNs << std::min(Doublings, 20u);
}

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_SAMPLEINTERVAL_H
