// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A limited number of spans of blocks.

#include "SpanMerger.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace memkit {

/// The first rounding keeps some 65,536 times of the run apart.
static constexpr unsigned FirstTimeBits = 16;

SpanMerger::SpanMerger(size_t Max, uint64_t EndNs)
    : Max(Max),
      LastShift(std::min<unsigned>(llvm::bit_width(EndNs) + 1, MaxShift)) {}

uint64_t SpanMerger::rounded(uint64_t TimeNs) const {
  uint64_t Mask = (uint64_t(1) << Shift) - 1;
  return TimeNs > UINT64_MAX - Mask ? ~Mask : (TimeNs + Mask) & ~Mask;
}

void SpanMerger::add(uint32_t Process, uint32_t Heap, const BlockSpan &S) {
  if (!S.Bytes)
    return;
  auto [At, New] = Tables.try_emplace({Process, Heap}, Out.Heaps.size());
  if (New)
    Out.Heaps.push_back({Process, Heap, {}});
  ++Out.Read;
  LastNs = std::max(LastNs, S.EndNs == BlockSpan::Alive ? S.BeginNs : S.EndNs);
  put(At->second, S);
  if (Max && Count > Max)
    merge();
}

/// Adds a span, to an equal one if spans are merged.
void SpanMerger::put(uint32_t Table, BlockSpan S) {
  std::vector<BlockSpan> &To = Out.Heaps[Table].Spans;
  if (Shift) {
    S.BeginNs = rounded(S.BeginNs);
    if (S.EndNs != BlockSpan::Alive)
      S.EndNs = rounded(S.EndNs);
    auto [At, New] =
        Known.try_emplace({{Table, S.Key}, {S.BeginNs, S.EndNs}}, To.size());
    if (!New) {
      BlockSpan &With = To[At->second];
      With.Bytes = SaturatingAdd(With.Bytes, S.Bytes);
      if (With.AllocatedBy != S.AllocatedBy)
        With.AllocatedBy = 0;
      if (With.FreedBy != S.FreedBy)
        With.FreedBy = 0;
      return;
    }
  }
  To.push_back(S);
  ++Count;
}

/// Puts all spans again, after a change of times or keys.
void SpanMerger::mergeAgain() {
  Known.clear();
  Count = 0;
  for (uint32_t Table = 0; Table != Out.Heaps.size(); ++Table) {
    std::vector<BlockSpan> Old = std::exchange(Out.Heaps[Table].Spans, {});
    for (const BlockSpan &S : Old)
      put(Table, S);
  }
}

/// Makes room for a quarter of the limit, so that the next call is not near.
void SpanMerger::merge() {
  size_t Wanted = Max - Max / 4;
  if (!Shift)
    Shift = LastShift > FirstTimeBits + 1 ? LastShift - FirstTimeBits - 1 : 1;
  mergeAgain();
  while (Count > Wanted && Shift < LastShift) {
    ++Shift;
    mergeAgain();
  }
  if (Count <= Wanted)
    return;
  foldSmallest();
  // Each process and heap keeps a span. With many of them there is no room.
  if (Count > Wanted)
    Max = 2 * Count;
}

/// Folds half of the spans, those with the fewest bytes.
void SpanMerger::foldSmallest() {
  std::vector<BlockSpan *> Smallest;
  for (HeapSpans &H : Out.Heaps)
    for (BlockSpan &S : H.Spans)
      Smallest.push_back(&S);
  size_t Half = Smallest.size() / 2;
  std::nth_element(Smallest.begin(), Smallest.begin() + Half, Smallest.end(),
                   [](const BlockSpan *A, const BlockSpan *B) {
                     return A->Bytes < B->Bytes;
                   });
  for (BlockSpan *S : ArrayRef(Smallest).take_front(Half))
    S->Key = BlockSpans::SmallerKey;
  Out.HasSmaller = true;
  mergeAgain();
}

BlockSpans SpanMerger::finish() {
  Out.RoundedNs = Shift ? uint64_t(1) << Shift : 0;
  for (HeapSpans &H : Out.Heaps)
    for (size_t At = 0; Shift && At != H.Spans.size(); ++At) {
      BlockSpan &S = H.Spans[At];
      S.Number = At + 1;
      // No time lies behind the last event.
      S.BeginNs = std::min(S.BeginNs, LastNs);
      if (S.EndNs != BlockSpan::Alive)
        S.EndNs = std::min(S.EndNs, LastNs);
    }
  llvm::sort(Out.Heaps, [](const HeapSpans &A, const HeapSpans &B) {
    return std::pair(A.Process, A.Heap) < std::pair(B.Process, B.Heap);
  });
  return std::move(Out);
}

} // namespace memkit
