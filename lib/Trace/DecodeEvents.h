// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions for the parts that decode events.

#ifndef MEMKIT_LIB_TRACE_DECODEEVENTS_H
#define MEMKIT_LIB_TRACE_DECODEEVENTS_H

#include "Decode.h"
#include <algorithm>

namespace memkit {

/// A section of events with counts checked against each other.
struct Decoder::EventInput {
  uint32_t Rows = 0, Allocations = 0, References = 0, Sizes = 0;
  const uint8_t *Kind = nullptr;
  const uint8_t *Thread = nullptr; ///< null with one thread
  std::vector<uint32_t> Threads, Heaps;
  /// The index in each column at which the values of a thread begin.
  struct ThreadColumns {
    uint32_t Row = 0, Allocation = 0, Size = 0, Reference = 0, Far = 0;
  };
  std::vector<ThreadColumns> Groups;
  const uint8_t *Near = nullptr;
  uint32_t FarCount = 0;
};

/// Decodes a column with a value for each allocation into order of time.
template <class S, class T>
bool Decoder::decodeOrdered(const fb::Planes *P, const EventInput &In,
                            std::vector<S> &Scratch, std::vector<T> &Out) {
  if (!decodePlanes(P, In.Allocations, Scratch))
    return false;
  order(In, Scratch, Out);
  return true;
}

template <class S, class T>
void Decoder::order(const EventInput &In, const std::vector<S> &Values,
                    std::vector<T> &Out) {
  Out.resize(In.Allocations);
  const uint32_t *From = AllocAt.data();
  if (In.Thread)
    for (uint32_t A = 0; A != In.Allocations; ++A)
      Out[A] = Values[From[A]];
  else
    std::copy_n(Values.begin(), In.Allocations, Out.begin());
}

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_DECODEEVENTS_H
