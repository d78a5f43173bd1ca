// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live tensors at the peak, by category and layer.

#include "Output/CategoryTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

void CategoryTable::add(uint32_t Process, uint32_t Heap,
                        TensorCategory Category, uint32_t Layer,
                        uint64_t AllocatedAt, uint64_t Bytes) {
  uint64_t PeakAt = Stats.heapPeakAt(Heap);
  if (AllocatedAt > PeakAt)
    return;
  uint64_t Key =
      uint64_t(Process) << 32 | uint64_t(Heap) << 8 | uint64_t(Category);
  CategoryRow &R = Rows[{Key, Layer}];
  if (R.PeakAt != PeakAt)
    R = {PeakAt, 0, 0};
  R.Blocks += 1;
  R.Bytes += Bytes;
}

std::vector<CategoryStats> CategoryTable::totals() const {
  std::vector<CategoryStats> Out;
  for (const auto &[Key, R] : Rows) {
    CategoryStats T;
    T.Process = uint32_t(Key.first >> 32);
    T.Heap = uint32_t(Key.first) >> 8;
    T.Category = TensorCategory(uint8_t(Key.first));
    T.Layer = Key.second;
    T.Blocks = R.Blocks;
    T.Bytes = R.Bytes;
    if (R.PeakAt == Stats.heapPeakAt(T.Heap))
      Out.push_back(T);
  }
  sort(Out, [](const CategoryStats &A, const CategoryStats &B) {
    return std::tie(A.Heap, A.Process, A.Category, B.Bytes, A.Layer) <
           std::tie(B.Heap, B.Process, B.Category, A.Bytes, B.Layer);
  });
  return Out;
}

//===----------------------------------------------------------------------===//
// Out-of-memory events
//===----------------------------------------------------------------------===//

/// Keeps the largest rows, and merges the others into one for each category.
static void keepLargest(std::vector<CategoryStats> &Rows, size_t Max) {
  sort(Rows, [](const CategoryStats &A, const CategoryStats &B) {
    return std::tie(B.Bytes, A.Category, A.Layer, A.Stack) <
           std::tie(A.Bytes, B.Category, B.Layer, B.Stack);
  });
  if (Rows.size() <= Max)
    return;
  CategoryStats Rests[NumTensorCategories];
  for (const CategoryStats &R : drop_begin(Rows, Max - NumTensorCategories)) {
    CategoryStats &Rest = Rests[unsigned(R.Category)];
    uint64_t Blocks = Rest.Blocks + R.Blocks, Bytes = Rest.Bytes + R.Bytes;
    Rest = R;
    Rest.Layer = Rest.Stack = 0;
    Rest.Blocks = Blocks;
    Rest.Bytes = Bytes;
  }
  Rows.resize(Max - NumTensorCategories);
  for (const CategoryStats &R : Rests)
    if (R.Blocks)
      Rows.push_back(R);
}

void OomLog::add(OomTimePoint M) {
  uint32_t Process = M.What.Process;
  M.What.Number = ++LastNumber;
  M.What.Skipped = std::exchange(Skipped[Process], 0);
  for (CategoryStats &R : M.Categories)
    R.Oom = M.What.Number;
  for (OomHeap &H : M.Heaps)
    H.Oom = M.What.Number;
  keepLargest(M.Categories, MaxRows);
  unsigned &Count = OfProcess[Process];
  if (Count < MaxOomsOfProcess && TimePoints.size() < Max) {
    ++Count;
  } else {
    auto Last = find_if(reverse(TimePoints), [Process](const OomTimePoint &Of) {
      return Of.What.Process == Process;
    });
    M.What.Skipped += Last->What.Skipped + 1;
    TimePoints.erase(std::next(Last).base());
  }
  TimePoints.push_back(std::move(M));
}
