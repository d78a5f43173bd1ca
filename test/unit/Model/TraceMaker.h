// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes traces in memory for tests.

#ifndef MEMKIT_TEST_UNIT_MODEL_TRACEMAKER_H
#define MEMKIT_TEST_UNIT_MODEL_TRACEMAKER_H

#include "memkit/Trace/TraceReader.h"
#include "memkit/Trace/TraceWriter.h"
#include <random>

namespace memkit::test {

/// A trace as a list of sections.
struct MadeTrace {
  std::vector<AnySection> Blocks;

  /// The bytes of the trace; Complete adds the index.
  std::string bytes(bool Complete = true) const;
  std::unique_ptr<TraceReader> open(bool Complete = true) const;
  template <class T> std::vector<T *> all() {
    std::vector<T *> Out;
    for (AnySection &B : Blocks)
      if (T *Found = std::get_if<T>(&B))
        Out.push_back(Found);
    return Out;
  }
};

/// A dictionary of some stacks, scope paths, four heaps (the last outside the
/// totals), Processes processes of two threads each.
Dictionary someDictionary(uint32_t Processes);

/// Random events with steps, ends of processes and, with Places, addresses and
/// nested blocks, without any sums.
MadeTrace makeEvents(unsigned Seed, unsigned Events, uint32_t Processes,
                     bool Places = true);

/// Reads all sections of a trace.
MadeTrace readAll(TraceReader &R);

/// T with Intervals, Snapshots and Summary.
MadeTrace completed(const MadeTrace &T);

} // namespace memkit::test

#endif // MEMKIT_TEST_UNIT_MODEL_TRACEMAKER_H
