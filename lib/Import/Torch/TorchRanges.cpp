// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stats of the ranges of a PyTorch snapshot.

#include "TorchRanges.h"

using namespace llvm;
using namespace memkit;

TorchRangeStats &TorchRangeTable::row(StringRef Name) {
  auto It = Rows.find(Name.str());
  if (It != Rows.end())
    return It->second;
  if (Rows.size() < MaxNames)
    return Rows[Name.str()];
  std::string Folded = Rows.size() < MaxRows ? foldDigits(Name) : "(others)";
  return Rows[Folded];
}

void TorchRangeTable::addTo(TraceBuilder &To, uint32_t Process) const {
  for (const auto &[Name, R] : Rows) {
    LayerStats L;
    L.Process = Process;
    L.Name = To.string(Name);
    L.Kind = ScopeKind::Range;
    L.Calls = R.Calls;
    L.DurationNs = R.DurationNs;
    L.TensorAllocations = R.Allocations;
    L.TensorFrees = R.Frees;
    L.TensorAllocatedBytes = R.AllocatedBytes;
    L.TensorFreedBytes = R.FreedBytes;
    L.TensorPeakBytes = R.PeakBytes;
    L.ReservedPeakBytes = R.ReservedPeakBytes;
    To.addStats(L);
  }
}
