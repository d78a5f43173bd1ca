// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each stack has of a growth.

#include "GrowthFinder.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

void Growth::forEachPart(
    function_ref<void(uint32_t Stack, uint64_t Bytes)> Do) const {
  double All = 0;
  for (const GrowthPart &P : Parts)
    All += static_cast<double>(P.Bytes);
  if (All == 0)
    return Do(Stack, Rise);
  for (const GrowthPart &P : Parts)
    Do(P.Stack,
       toBytes(static_cast<double>(P.Bytes) / All * static_cast<double>(Rise)));
}

/// Notes which stacks have the bytes of the findings of several stacks.
void GrowthFinder::readParts() {
  DenseMap<std::pair<uint32_t, uint32_t>, Growth *> Of; // by group and node
  bool AnyOfSeveral = false;
  for (GrowthCandidate &C : Candidates)
    if (!C.IsDropped && !C.G.IsArenas) {
      Of[{C.Group, C.G.Node}] = &C.G;
      AnyOfSeveral |= C.G.Stacks > 1;
    }
  if (!AnyOfSeveral)
    return;
  GrowthRowValues V;
  auto Take = [&](size_t Process, const RowLifetimes &R) {
    std::optional<uint32_t> Row = judgedRow(Process, R.Heap, R.Stack);
    if (!Row || LevelOfRow[*Row] >= Places.size())
      return;
    Growth *Innermost = nullptr;
    for (uint32_t N = T.view().leaf(R.Stack); N && !Innermost;
         N = T.view().parent(N))
      Innermost = Of.lookup({groupOf(Process, R.Heap), N});
    if (!Innermost || Innermost->Stacks < 2)
      return;
    readLifetimes(Process, R, *Row, V);
    if (V.Survive > 0)
      Innermost->Parts.push_back({R.Stack, toBytes(V.Survive)});
  };
  // The lifetimes are in memory since readRanges().
  cantFail(Intervals.forEachLifetimes(
      [&](size_t Process, const SectionLifetimes &L) {
        L.forEachRow([&](const RowLifetimes &R) { Take(Process, R); });
      }));
  for (GrowthCandidate &C : Candidates)
    stable_sort(C.G.Parts, [](const GrowthPart &A, const GrowthPart &B) {
      return A.Bytes > B.Bytes;
    });
}

} // namespace memkit
