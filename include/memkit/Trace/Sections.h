// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decoded sections of a trace.
//
// Plain structs, for TraceWriter to write and TraceReader to read.
// docs/TraceFormat.md describes the layout on disk.
//
// Units: bytes, and ns since Header::Start.MonotonicNs. Ids are dense and count
// from 1 in file order, separately for each kind; 0 means none. An id is only
// used after the Dictionary section that adds the id.

#ifndef MEMKIT_TRACE_SECTIONS_H
#define MEMKIT_TRACE_SECTIONS_H

#include "memkit/Trace/Categories.h"
#include "memkit/Trace/DeviceTimes.h"
#include "memkit/Trace/Dictionary.h"
#include "memkit/Trace/Events.h"
#include "memkit/Trace/Lifetimes.h"
#include "memkit/Trace/Marks.h"
#include "memkit/Trace/Partial.h"
#include "memkit/Trace/ScopeTimes.h"
#include "memkit/Trace/SectionLimits.h"
#include "memkit/Trace/Summary.h"
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace memkit {

//===----------------------------------------------------------------------===//
// Header
//===----------------------------------------------------------------------===//

struct Header {
  uint32_t Container = ContainerVersion;
  uint32_t Format = FormatVersion;
  std::string Tool; ///< name and version of the program that wrote the trace
  std::vector<std::string> Command;
  std::string Host;
  std::string BootId;
  std::string Os;
  uint32_t Pid = 0;
  int32_t Rank = -1; ///< -1: not known
  int32_t WorldSize = -1;
  std::vector<std::string> Options; ///< name=value
  ClockTriple Start;
  uint64_t TscHz = 0;
  uint32_t PageSize = 0;
  uint32_t Cpus = 0;
  std::vector<std::string> Machine; ///< what the machine is, name=value
  /// Of a trace made from another tool's recording, name=value; see
  /// Model/Imported.h. Empty: memkit recorded the trace.
  std::vector<std::string> Imported;
  bool operator==(const Header &) const = default;
};

//===----------------------------------------------------------------------===//
// Intervals, snapshots
//===----------------------------------------------------------------------===//

/// The live values of a (heap, stack) at the end of an interval, and its
/// allocations since the previous interval with a row of the stack. The values
/// are those of StackStats.
struct IntervalRow {
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  uint64_t LiveBlocks = 0;
  uint64_t LiveBytes = 0;
  uint64_t Allocations = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t Temporaries = 0; ///< at most 2^32 - 1 in an interval
  bool operator==(const IntervalRow &) const = default;
};

/// The choice of rows in an interval.
enum class IntervalDetail : uint8_t {
  None,    ///< from an older memkit: as Changed, without allocations
  Changed, ///< rows with changed live values
  Whole,   ///< also rows with allocations since their last interval
};
inline constexpr uint8_t NumIntervalDetails = 3;

/// The changes in a process since the previous interval. An interval with more
/// rows than a section continues in the next section, with equal Index and
/// times. The allocations of rows are exact between the ends of two whole
/// intervals. The start of the process counts as such an end. So does the end
/// of the process, where the Summary has the sums of all allocations.
struct Interval {
  uint64_t Index = 0; ///< in its process, from 0
  uint64_t FirstStep = 0;
  uint64_t LastStep = 0;
  uint64_t BeginNs = 0;
  uint64_t EndNs = 0;
  IntervalDetail Detail = IntervalDetail::None;
  std::vector<IntervalRow> Rows;
  bool operator==(const Interval &) const = default;
};

struct Intervals {
  uint32_t Process = 0;
  std::vector<Interval> Rows;
  bool operator==(const Intervals &) const = default;
};

struct LiveBlock {
  uint64_t AllocationId = 0;
  uint64_t Size = 0;
  uint64_t AllocatedNs = 0;
  uint32_t Stack = 0;
  uint32_t ScopePath = 0;
  uint32_t Heap = 0;
  uint64_t Address = 0;   ///< 0 when not recorded
  uint64_t Enclosing = 0; ///< allocation id + 1, 0 none
  /// Number of blocks that the block stands for; 0: one block, exact.
  uint32_t Weight = 0;
  bool operator==(const LiveBlock &) const = default;
};

/// The blocks live in a process after its first `Events` events. A large
/// snapshot has several parts, each of at most MaxSectionRows entries, with
/// allocation ids rising over all parts.
struct Snapshot {
  uint32_t Process = 0;
  uint64_t TimeNs = 0;
  uint64_t Events = 0;
  uint64_t NextAllocationId = 0;
  uint32_t Part = 0;
  bool Last = true;
  std::vector<LiveBlock> Blocks;
  bool operator==(const Snapshot &) const = default;
};

//===----------------------------------------------------------------------===//
// Index
//===----------------------------------------------------------------------===//

enum class SectionKind : uint8_t {
  None = 0, ///< a body of a newer format
  Header = 1,
  Dictionary = 2,
  Events = 3,
  Marks = 4,
  Intervals = 5,
  Snapshot = 6,
  Summary = 7,
  Index = 8,
  Lifetimes = 9,
  Partial = 10,
  BlockCategories = 11,
  ScopeTimes = 12,
  DeviceSpans = 13,
};
inline constexpr uint8_t NumSectionKinds = 14;
const char *sectionKindName(SectionKind Kind);

/// The position of a section and the range that the section covers. Process,
/// Epoch, times and Events are 0 where they do not apply.
struct SectionInfo {
  SectionKind Kind = SectionKind::None;
  uint64_t Offset = 0;     ///< in the file
  uint64_t Compressed = 0; ///< bytes of its zstd frame
  uint64_t Raw = 0;        ///< bytes when decompressed, size prefix included
  uint32_t Process = 0;
  uint32_t Epoch = 0;
  uint64_t BeginNs = 0;
  uint64_t EndNs = 0;
  uint64_t Events = 0;
  bool operator==(const SectionInfo &) const = default;
};

struct Index {
  std::vector<SectionInfo> Sections; ///< all before the index, in file order
  bool operator==(const Index &) const = default;
};

/// Any section, decoded.
using AnySection =
    std::variant<std::monostate, Header, Dictionary, Events, Marks, Intervals,
                 Snapshot, Summary, Index, Lifetimes, Partial, BlockCategories,
                 ScopeTimes, DeviceSpans>;

} // namespace memkit

#endif // MEMKIT_TRACE_SECTIONS_H
