// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of a moment, from those of an earlier moment and the changes since.

#include "MomentMerge.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <tuple>

using namespace llvm;
using namespace memkit;

static auto orderOf(const MomentRow &R) {
  return std::make_tuple(R.IsScopePath, R.Process, R.Stats.Heap, R.Stats.Key);
}

void memkit::sortRows(std::vector<MomentRow> &Rows) {
  llvm::sort(Rows, [](const MomentRow &A, const MomentRow &B) {
    return orderOf(A) < orderOf(B);
  });
}

/// A row without a change since an event: at a peak since then the row held
/// what the row holds now.
static void takePeaks(StackStats &R, const MomentCell &C, uint64_t Since) {
  if (C.HeapPeakAt > Since) {
    bool IsGone = C.HeapPeakAt > C.EndAt;
    R.HeapPeakBytes = IsGone ? 0 : R.LiveBytes;
    R.HeapPeakBlocks = IsGone ? 0 : R.LiveBlocks;
  }
  if (!C.IsOutside && C.SpacePeakAt > Since) {
    bool IsGone = C.SpacePeakAt > C.EndAt;
    R.SpacePeakBytes = IsGone ? 0 : R.LiveExclusive;
    R.SpacePeakBlocks = IsGone ? 0 : R.LiveBlocks;
  }
}

void memkit::mergeMoment(std::vector<MomentRow> &Rows, uint64_t Since,
                         ArrayRef<MomentCell> Cells,
                         std::vector<MomentRow> Changed) {
  // A recorder of another user may name any process, also a map's reserved
  // keys.
  std::map<std::pair<uint32_t, uint32_t>, const MomentCell *> CellOf;
  for (const MomentCell &C : Cells)
    CellOf[{C.Process, C.Heap}] = &C;
  std::vector<MomentRow> Out;
  Out.reserve(Rows.size() + Changed.size());
  auto New = Changed.begin();
  for (MomentRow &R : Rows) {
    while (New != Changed.end() && orderOf(*New) < orderOf(R))
      Out.push_back(*New++);
    if (New != Changed.end() && orderOf(*New) == orderOf(R)) {
      Out.push_back(*New++);
      continue;
    }
    if (auto C = CellOf.find({R.Process, R.Stats.Heap}); C != CellOf.end())
      takePeaks(R.Stats, *C->second, Since);
    Out.push_back(R);
  }
  Out.insert(Out.end(), New, Changed.end());
  Rows = std::move(Out);
}
