// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Categories of tensors, and out-of-memory events, in a Summary.
//
// Parts of Sections.h, which explains ids and units.

#ifndef MEMKIT_TRACE_CATEGORIES_H
#define MEMKIT_TRACE_CATEGORIES_H

#include "memkit/Trace/RowField.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// What a tensor is for; see docs/TraceFormat.md.
enum class TensorCategory : uint8_t {
  Unknown = 0,
  Parameter = 1, ///< a module's parameter or buffer
  Gradient = 2,
  OptimizerState = 3,
  Activation = 4,
  Input = 5,
  Temporary = 6,
  /// Of a block alone: the recording has the block's dtype, and no categories
  /// of the framework.
  None = 7,
};
/// Of sums: all but None.
inline constexpr uint8_t NumTensorCategories = 7;

/// The category and the dtype of one block.
struct BlockCategory {
  uint64_t AllocationId = 0;
  TensorCategory Category = TensorCategory::Unknown;
  uint32_t Dtype = 0; ///< string: `float32`; 0: not known
  bool operator==(const BlockCategory &) const = default;
};

/// Categories of tensors of a process, by rising allocation id. A tensor's
/// category is known at the tensor's free, or at the end of its process. The
/// last row of a block in the file counts. A section has at most MaxDtypes
/// dtypes.
struct BlockCategories {
  uint32_t Process = 0;
  std::vector<BlockCategory> Rows;
  static constexpr size_t MaxDtypes = 255;
  bool operator==(const BlockCategories &) const = default;
};

/// Live tensors of one category: at the heap's peak, or in a process at an
/// out-of-memory event.
struct CategoryStats {
  uint32_t Heap = 0;
  uint32_t Process = 0;
  TensorCategory Category = TensorCategory::Unknown;
  uint32_t Oom = 0;   ///< OomRecord::Number; 0: at the heap's peak
  uint32_t Layer = 0; ///< string; 0: none or several
  uint32_t Stack = 0; ///< with Oom: the stack of all blocks; 0: several
  uint64_t Blocks = 0;
  uint64_t Bytes = 0;
  bool operator==(const CategoryStats &) const = default;
  static constexpr auto fields() {
    using C = CategoryStats;
    return std::tuple(
        rowField("heap", &C::Heap).id(IdKind::Heap, "category in heap"),
        rowField("process", &C::Process)
            .id(IdKind::Process, "category in process"),
        rowField("category", &C::Category).key(), rowField("oom", &C::Oom),
        rowField("layer", &C::Layer)
            .idOrNone(IdKind::String, "category with string"),
        rowField("stack", &C::Stack)
            .idOrNone(IdKind::Stack, "category with stack"),
        rowField("blocks", &C::Blocks), rowField("bytes", &C::Bytes));
  }
};

/// What happened at an out-of-memory event.
enum class OomKind : uint8_t {
  Failed = 0, ///< an allocator refused a request
  Killed = 1, ///< the kernel killed the process
};
inline constexpr uint8_t NumOomKinds = 2;

/// The limit that an out-of-memory event met.
enum class LimitKind : uint8_t {
  Unknown = 0,
  AddressSpace = 1, ///< RLIMIT_AS, `ulimit -v`
  Data = 2,         ///< RLIMIT_DATA, `ulimit -d`
  Group = 3,        ///< of a control group: a container, a job
  Machine = 4,      ///< memory and swap, or CommitLimit
  Device = 5,       ///< the memory of a device
};
inline constexpr uint8_t NumLimitKinds = 6;

/// An out-of-memory event.
struct OomRecord {
  uint32_t Number = 0; ///< from 1, in order
  uint32_t Process = 0;
  /// The heap of the failed allocation; of a killed process, the host's heap
  /// with the most bytes.
  uint32_t Heap = 0;
  uint32_t Thread = 0;
  uint64_t TimeNs = 0;
  uint32_t Stack = 0;
  uint32_t ScopePath = 0;
  uint64_t Requested = 0; ///< bytes; 0: not known
  uint64_t Skipped = 0;   ///< events left out since the previous record
  OomKind Kind = OomKind::Failed;
  LimitKind Limit = LimitKind::Unknown;
  uint64_t LimitBytes = 0; ///< 0: not known
  bool FreeKnown = false;
  uint64_t FreeBytes = 0; ///< left of the limit, before the request
  bool operator==(const OomRecord &) const = default;
  static constexpr auto fields() {
    using O = OomRecord;
    return std::tuple(
        rowField("oom", &O::Number).key(),
        rowField("process", &O::Process).id(IdKind::Process, "oom in process"),
        rowField("heap", &O::Heap).id(IdKind::Heap, "oom in heap"),
        rowField("thread", &O::Thread)
            .idOrNone(IdKind::Thread, "oom in thread"),
        rowField("time", &O::TimeNs),
        rowField("stack", &O::Stack).idOrNone(IdKind::Stack, "oom with stack"),
        rowField("scope-path", &O::ScopePath)
            .idOrNone(IdKind::ScopePath, "oom with scope path"),
        rowField("requested", &O::Requested), rowField("skipped", &O::Skipped),
        rowField("kind", &O::Kind), rowField("limit-kind", &O::Limit),
        rowField("limit", &O::LimitBytes),
        rowField("free-known", &O::FreeKnown), rowField("free", &O::FreeBytes));
  }
};

/// The memory of a heap at an out-of-memory event, over all processes.
struct OomHeap {
  uint32_t Oom = 0; ///< OomRecord::Number
  uint32_t Heap = 0;
  uint64_t LiveBlocks = 0;
  uint64_t LiveBytes = 0;
  bool ReservedKnown = false;
  uint64_t ReservedBytes = 0;
  bool operator==(const OomHeap &) const = default;
  static constexpr auto fields() {
    using O = OomHeap;
    return std::tuple(
        rowField("oom", &O::Oom).key(),
        rowField("heap", &O::Heap).id(IdKind::Heap, "oom with heap"),
        rowField("live-blocks", &O::LiveBlocks),
        rowField("live-bytes", &O::LiveBytes),
        rowField("reserved-known", &O::ReservedKnown),
        rowField("reserved-bytes", &O::ReservedBytes));
  }
};

} // namespace memkit

#endif // MEMKIT_TRACE_CATEGORIES_H
