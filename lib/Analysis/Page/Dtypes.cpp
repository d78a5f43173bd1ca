// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors by dtype.

#include "memkit/Analysis/Dtypes.h"
#include "memkit/Model/BlockCategories.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

static void add(DtypeStats &To, const StackStats &R) {
  To.AtPeakBlocks += R.HeapPeakBlocks;
  To.AtPeakBytes += R.HeapPeakBytes;
  To.LiveBytes += R.LiveBytes;
  To.Allocations += R.Allocations;
  To.AllocatedBytes += R.AllocatedBytes;
}

Expected<std::vector<DtypeStats>> queryDtypes(const SelectedStats &S) {
  const Trace &T = S.trace();
  if (!T.hasReader() || !hasBlockCategories(T.reader()))
    return std::vector<DtypeStats>();
  auto Table = BlockCategoryTable::read(T.reader());
  if (!Table)
    return Table.takeError();
  if ((*Table)->dtypes().empty())
    return std::vector<DtypeStats>();
  DtypeGroups Dtypes(T, *Table);
  AllocationGroups By;
  By.GroupOf = [&](const Allocation &B) -> uint64_t {
    return Dtypes.of(B.Process, B.Heap, B.Block);
  };
  By.KeyOf = [](uint64_t Group) { return uint32_t(Group); };
  By.BelongsToOneThread = true;
  Expected<SelectedStats> Of =
      SelectedStats::createGrouped(T, S.selection(), By);
  if (!Of)
    return Of.takeError();
  std::map<std::pair<uint32_t, uint32_t>, DtypeStats> Sums; // heap, group
  BitVector IsKnown(T.heaps().size() + 1);
  Of->forEach([&](uint32_t, const StackStats &R) {
    if (R.Key == DtypeGroups::NoTensor)
      return;
    if (R.Key != DtypeGroups::Unknown)
      IsKnown.set(R.Heap);
    DtypeStats &To = Sums[{R.Heap, R.Key}];
    To.Heap = R.Heap;
    To.Dtype = Dtypes.name(R.Key);
    add(To, R);
  });
  std::vector<DtypeStats> Rows;
  for (const auto &[Key, Sum] : Sums)
    if (IsKnown[Sum.Heap])
      Rows.push_back(Sum);
  stable_sort(Rows, [](const DtypeStats &A, const DtypeStats &B) {
    return A.Heap != B.Heap ? A.Heap < B.Heap : A.AtPeakBytes > B.AtPeakBytes;
  });
  return Rows;
}

} // namespace memkit
