// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges rings into one order of time.

#include "Shared/RingMerge.h"
#include <algorithm>
#include <cstring>

using namespace memkit;

static uint64_t clockAt(const wire::Record *Records, uint64_t Position) {
  return __atomic_load_n(&Records[Position % wire::RingRecords].Tsc,
                         __ATOMIC_RELAXED);
}

void RingMerge::start(uint64_t NewLimit) {
  Limit = NewLimit;
  Cursors.clear();
  Heap.clear();
}

void RingMerge::add(const wire::Record *Records, uint64_t Tail, uint64_t Head,
                    uint32_t Source) {
  uint64_t Clock = Tail == Head ? ~0ull : clockAt(Records, Tail);
  Cursors.push_back({Records, Tail, Head, Clock, Source});
  if (Tail == Head || Clock > Limit)
    return;
  Heap.push_back(uint32_t(Cursors.size() - 1));
  // Move up: parents are not later than their children.
  for (size_t I = Heap.size() - 1; I;) {
    size_t Parent = (I - 1) / 2;
    if (Cursors[Heap[Parent]].Clock <= Clock)
      break;
    std::swap(Heap[Parent], Heap[I]);
    I = Parent;
  }
}

void RingMerge::sift(size_t I) {
  for (size_t Child; (Child = 2 * I + 1) < Heap.size(); I = Child) {
    if (Child + 1 < Heap.size() &&
        Cursors[Heap[Child + 1]].Clock < Cursors[Heap[Child]].Clock)
      ++Child;
    if (Cursors[Heap[I]].Clock <= Cursors[Heap[Child]].Clock)
      return;
    std::swap(Heap[I], Heap[Child]);
  }
}

/// Takes the record at C, and the records after it up to clock Until.
size_t RingMerge::takeRun(RingCursor &C, uint64_t Until, MergedRecord *Out,
                          size_t Max) {
  Max = std::min<uint64_t>(Max, C.Head - C.Tail);
  size_t N = 0;
  do {
    const wire::Record &From = C.Records[(C.Tail + N) % wire::RingRecords];
    std::memcpy(&Out[N].R, &From, sizeof(From));
    Out[N].Source = C.Source;
  } while (++N != Max && clockAt(C.Records, C.Tail + N) <= Until);
  C.Tail += N;
  C.Clock = C.Tail == C.Head ? ~0ull : clockAt(C.Records, C.Tail);
  return N;
}

size_t RingMerge::next(MergedRecord *Out, size_t Max) {
  size_t N = 0;
  while (N != Max && !Heap.empty()) {
    RingCursor &C = Cursors[Heap[0]];
    // The run ends at the next ring's first record.
    uint64_t Until = Limit;
    for (size_t Child = 1; Child <= 2 && Child < Heap.size(); ++Child)
      Until = std::min(Until, Cursors[Heap[Child]].Clock);
    N += takeRun(C, Until, Out + N, Max - N);
    if (C.Tail == C.Head || C.Clock > Limit) {
      Heap[0] = Heap.back();
      Heap.pop_back();
    }
    if (!Heap.empty())
      sift(0);
  }
  return N;
}
