// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The categories of single blocks: what each tensor is for; and their dtypes.
//
// A trace has a category for each tensor that was freed or lived at the end, so
// that memory at any time can be shown by category. docs/TraceFormat.md has the
// sections.

#ifndef MEMKIT_MODEL_BLOCKCATEGORIES_H
#define MEMKIT_MODEL_BLOCKCATEGORIES_H

#include "memkit/Model/Trace.h"
#include "llvm/ADT/BitVector.h"
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace memkit {

/// `optimizer state`
llvm::StringRef categoryText(TensorCategory K);

/// Whether the heap has the tensors of a memory space.
bool isTensorHeap(const Trace &T, uint32_t Heap);
/// Whether the trace has a section of categories, or dtypes, of blocks.
bool hasBlockCategories(const TraceReader &R);
/// Whether the trace has categories of tensors: only PyTorch's have them.
bool hasTensorCategories(const Trace &T);

/// The categories of a trace's blocks. Not changed after read(): any thread may
/// look up blocks, each thread with its own BlockCategoryCursor.
class BlockCategoryTable {
public:
  /// Reads all sections of categories. Memory: 8 bytes a tensor. Errors:
  /// TraceError, also for more rows than a recording has.
  static llvm::Expected<std::shared_ptr<const BlockCategoryTable>>
  read(TraceReader &R);
  uint64_t size() const { return NumBlocks; } ///< blocks with a category
  /// The dtypes of blocks, strings of the trace: `float32`. By name.
  llvm::ArrayRef<uint32_t> dtypes() const { return Dtypes; }

private:
  friend class BlockCategoryCursor;
  /// From the high bits: the block's id, 1 + the index of the dtype in Dtypes
  /// (0: none), and the category. So rows in rising order are in order of ids.
  using IdAndCategory = uint64_t;
  static constexpr unsigned CategoryBits = 3, DtypeBits = 8;
  static constexpr unsigned IdShift = CategoryBits + DtypeBits;
  static_assert(uint8_t(TensorCategory::None) < 1u << CategoryBits);
  static TensorCategory categoryOf(IdAndCategory Row) {
    return TensorCategory(Row & ((1u << CategoryBits) - 1));
  }
  static constexpr uint32_t MaxDtypes = (1u << DtypeBits) - 1;
  uint32_t placeOf(uint32_t Dtype);
  std::map<uint32_t, std::vector<IdAndCategory>> OfProcess;
  uint64_t NumBlocks = 0;
  std::vector<uint32_t> Dtypes;
};

/// Looks up blocks in a table, which must outlive the cursor.
class BlockCategoryCursor {
public:
  explicit BlockCategoryCursor(const BlockCategoryTable &Of) : Of(&Of) {}
  /// None: the trace has no category for the block. A few ns for rising ids of
  /// a process.
  std::optional<TensorCategory> find(uint32_t Process, uint64_t AllocationId);
  /// The place of the block's dtype in the table's dtypes(), from 1; 0: not
  /// known.
  uint32_t findDtype(uint32_t Process, uint64_t AllocationId);

private:
  std::optional<uint64_t> findRow(uint32_t Process, uint64_t AllocationId);
  using IdAndCategory = BlockCategoryTable::IdAndCategory;
  struct Position {
    const std::vector<IdAndCategory> *Rows = nullptr;
    size_t Next = 0;
  };
  const BlockCategoryTable *Of;
  std::vector<Position> Positions; ///< by process
};

/// Groups of blocks by category: the groups that memflame and memview show.
/// Belongs to one thread.
class CategoryGroups {
public:
  CategoryGroups(const Trace &T, std::shared_ptr<const BlockCategoryTable> Of);
  /// Whether a heap has tensors, by its name.
  bool isOfTensors(uint32_t Heap) const { return OfTensors[Heap]; }
  /// Group 0 has the blocks that are no tensors; a tensor without a category is
  /// of the category `unknown`.
  uint32_t of(uint32_t Process, uint32_t Heap, uint64_t AllocationId) {
    if (!OfTensors[Heap])
      return 0;
    std::optional<TensorCategory> K = Cursor.find(Process, AllocationId);
    return group(K.value_or(TensorCategory::Unknown));
  }
  static uint32_t group(TensorCategory K) { return uint32_t(K) + 1; }
  static constexpr uint32_t Count = NumTensorCategories + 1;
  static llvm::StringRef name(uint32_t Group);

private:
  std::shared_ptr<const BlockCategoryTable> Table;
  BlockCategoryCursor Cursor;
  llvm::BitVector OfTensors; ///< by heap
};

/// Groups of blocks by dtype. Belongs to one thread.
class DtypeGroups {
public:
  DtypeGroups(const Trace &T, std::shared_ptr<const BlockCategoryTable> Of);
  static constexpr uint32_t NoTensor = 0, Unknown = 1; ///< groups
  uint32_t of(uint32_t Process, uint32_t Heap, uint64_t AllocationId) {
    return OfTensors[Heap] ? Unknown + Cursor.findDtype(Process, AllocationId)
                           : NoTensor;
  }
  llvm::StringRef name(uint32_t Group) const;

private:
  const Trace *T;
  std::shared_ptr<const BlockCategoryTable> Table;
  BlockCategoryCursor Cursor;
  llvm::BitVector OfTensors; ///< by heap
};

} // namespace memkit

#endif // MEMKIT_MODEL_BLOCKCATEGORIES_H
