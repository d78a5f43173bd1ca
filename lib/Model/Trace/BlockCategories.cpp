// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The categories of single blocks.

#include "memkit/Model/BlockCategories.h"
#include "Model/Names/TensorHeapName.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

StringRef categoryText(TensorCategory K) {
  static constexpr StringLiteral Names[] = {
      "unknown",    "parameter", "gradient", "optimizer state",
      "activation", "input",     "temporary"};
  static_assert(std::size(Names) == NumTensorCategories);
  return Names[static_cast<size_t>(K)];
}

bool isTensorHeap(const Trace &T, uint32_t Heap) {
  return isTensorHeapName(T.heapName(Heap));
}

bool hasBlockCategories(const TraceReader &R) {
  return any_of(R.sections(), [](const SectionInfo &B) {
    return B.Kind == SectionKind::BlockCategories;
  });
}

bool hasTensorCategories(const Trace &T) {
  return hasBlockCategories(T.reader()) &&
         any_of(T.heaps(), [&](const Heap &H) {
           return T.string(H.Name).starts_with("torch.");
         });
}

/// Keeps the last of the rows of each block. Rows: in the order of the file.
static void sortRows(std::vector<uint64_t> &Rows, unsigned IdShift) {
  auto Id = [&](uint64_t Row) { return Row >> IdShift; };
  if (!is_sorted(Rows, [&](uint64_t A, uint64_t B) { return Id(A) < Id(B); }))
    stable_sort(Rows, [&](uint64_t A, uint64_t B) { return Id(A) < Id(B); });
  size_t Kept = 0;
  for (uint64_t Row : Rows) {
    bool IsSame = Kept && Id(Rows[Kept - 1]) == Id(Row);
    Rows[Kept - IsSame] = Row;
    Kept += !IsSame;
  }
  Rows.resize(Kept);
  Rows.shrink_to_fit();
}

/// The place of a dtype, added if new; 0: none, or there are too many.
uint32_t BlockCategoryTable::placeOf(uint32_t Dtype) {
  if (!Dtype)
    return 0;
  auto At = llvm::find(Dtypes, Dtype);
  if (At == Dtypes.end()) {
    if (Dtypes.size() == MaxDtypes)
      return 0;
    At = Dtypes.insert(At, Dtype);
  }
  return uint32_t(At - Dtypes.begin()) + 1;
}

Expected<std::shared_ptr<const BlockCategoryTable>>
BlockCategoryTable::read(TraceReader &R) {
  // A recording has at most a few rows for each block.
  uint64_t Left = 16'000'000;
  for (const SectionInfo &B : R.sections())
    Left += 4 * std::min<uint64_t>(B.Events, MaxSectionRows);
  auto Out = std::make_shared<BlockCategoryTable>();
  BlockCategories Section;
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind != SectionKind::BlockCategories)
      continue;
    if (Error E = R.read(B, Section))
      return std::move(E);
    if (Section.Rows.size() > Left)
      return makeTraceError(R.name(), B.Offset,
                            "more categories of blocks than blocks");
    Left -= Section.Rows.size();
    std::vector<IdAndCategory> &To = Out->OfProcess[Section.Process];
    for (const BlockCategory &Row : Section.Rows)
      // No block has a higher id.
      if (Row.AllocationId >> (64 - IdShift) == 0)
        To.push_back(Row.AllocationId << IdShift |
                     Out->placeOf(Row.Dtype) << CategoryBits |
                     uint64_t(Row.Category));
  }
  for (auto &[Process, Rows] : Out->OfProcess)
    sortRows(Rows, IdShift);
  for (const auto &[Process, Rows] : Out->OfProcess)
    Out->NumBlocks += count_if(Rows, [](IdAndCategory Row) {
      return categoryOf(Row) != TensorCategory::None;
    });
  return Out;
}

std::optional<uint64_t> BlockCategoryCursor::findRow(uint32_t Process,
                                                     uint64_t AllocationId) {
  if (Process >= Positions.size())
    Positions.resize(Process + size_t(1));
  Position &At = Positions[Process];
  if (!At.Rows) {
    static const std::vector<IdAndCategory> None;
    auto It = Of->OfProcess.find(Process);
    At.Rows = It == Of->OfProcess.end() ? &None : &It->second;
  }
  const std::vector<IdAndCategory> &Rows = *At.Rows;
  constexpr unsigned Bits = BlockCategoryTable::IdShift;
  auto Less = [&](IdAndCategory Row) { return Row >> Bits < AllocationId; };
  // Most blocks are asked for by rising ids: look from the last place on, at
  // the next rows first.
  auto Begin = Rows.begin() + At.Next;
  if (At.Next && !Less(Rows[At.Next - 1]))
    Begin = Rows.begin();
  auto Near = Begin + std::min<ptrdiff_t>(8, Rows.end() - Begin);
  auto It = std::find_if_not(Begin, Near, Less);
  if (It == Near)
    It = std::partition_point(Near, Rows.end(), Less);
  At.Next = It - Rows.begin();
  if (It == Rows.end() || *It >> Bits != AllocationId)
    return std::nullopt;
  return *It;
}

std::optional<TensorCategory> BlockCategoryCursor::find(uint32_t Process,
                                                        uint64_t AllocationId) {
  std::optional<uint64_t> Row = findRow(Process, AllocationId);
  if (!Row || BlockCategoryTable::categoryOf(*Row) == TensorCategory::None)
    return std::nullopt;
  return BlockCategoryTable::categoryOf(*Row);
}

uint32_t BlockCategoryCursor::findDtype(uint32_t Process,
                                        uint64_t AllocationId) {
  std::optional<uint64_t> Row = findRow(Process, AllocationId);
  return Row ? uint32_t(*Row >> BlockCategoryTable::CategoryBits &
                        BlockCategoryTable::MaxDtypes)
             : 0;
}

/// By heap: whether it has tensors.
static BitVector tensorHeaps(const Trace &T) {
  BitVector Out(T.heaps().size() + 1);
  for (uint32_t Heap = 1; Heap < Out.size(); ++Heap)
    Out[Heap] = isTensorHeap(T, Heap);
  return Out;
}

CategoryGroups::CategoryGroups(const Trace &T,
                               std::shared_ptr<const BlockCategoryTable> Of)
    : Table(std::move(Of)), Cursor(*Table), OfTensors(tensorHeaps(T)) {}

StringRef CategoryGroups::name(uint32_t Group) {
  return Group ? categoryText(TensorCategory(Group - 1)) : "not a tensor";
}

DtypeGroups::DtypeGroups(const Trace &T,
                         std::shared_ptr<const BlockCategoryTable> Of)
    : T(&T), Table(std::move(Of)), Cursor(*Table), OfTensors(tensorHeaps(T)) {}

StringRef DtypeGroups::name(uint32_t Group) const {
  return Group == NoTensor  ? "not a tensor"
         : Group == Unknown ? "unknown"
                            : T->string(Table->dtypes()[Group - 2]);
}

} // namespace memkit
