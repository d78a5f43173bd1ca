// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rows of a summary are worth keeping.

#include "SummaryFold.h"

using namespace llvm;

namespace memkit {

void addStats(StackStats &To, const StackStats &R) {
  forEachField<StackStats>([&](auto I) {
    To.*fieldAt<StackStats, I>.Member += R.*fieldAt<StackStats, I>.Member;
  });
}

SummaryFold::SummaryFold(const Trace &T, double Share) : Share(Share) {
  for (const PackedRows &Rows : T.stackRows())
    for (size_t I = 0; I != Rows.size(); ++I)
      addStats(Totals[{Rows.process(), Rows.heap(I)}], Rows[I]);
}

bool SummaryFold::isSmall(uint32_t Process, const StackStats &R) const {
  auto At = Totals.find({Process, R.Heap});
  if (At == Totals.end())
    return true;
  for (uint64_t StackStats::*Value :
       {&StackStats::HeapPeakBytes, &StackStats::LiveBytes,
        &StackStats::AllocatedBytes, &StackStats::Allocations})
    if (R.*Value && double(R.*Value) >= Share * double(At->second.*Value))
      return false;
  return true;
}

void SummaryFold::fold(uint32_t Process, const StackStats &R) {
  StackStats &To = Folded[{Process, R.Heap}];
  To.Heap = R.Heap;
  addStats(To, R);
}

} // namespace memkit
