// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections of a trace, decoded.
//
// Every section of a trace as plain structs: what TraceWriter takes and
// TraceReader gives. docs/TraceFormat.md says how they are laid out on disk.
//
// Units: bytes, and ns since Header::Start.MonotonicNs. Ids are dense and count
// from 1 in file order, each kind on its own; 0 means none. An id is only used
// after the Dictionary section that adds it.

#ifndef MEMKIT_TRACE_SECTIONS_H
#define MEMKIT_TRACE_SECTIONS_H

#include "memkit/Trace/Dictionary.h"
#include "memkit/Trace/Events.h"
#include "memkit/Trace/Lifetimes.h"
#include "memkit/Trace/Marks.h"
#include "memkit/Trace/Partial.h"
#include "memkit/Trace/Summary.h"
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace memkit {

/// The layout of frames and sections in the file.
inline constexpr uint32_t ContainerVersion = 1;
/// The meaning of sections. A reader accepts the range lowest..current.
inline constexpr uint32_t FormatVersion = 1;
inline constexpr uint32_t LowestFormatVersion = 1;
static_assert(LowestFormatVersion <= FormatVersion);

/// Event times are multiples of this.
inline constexpr uint64_t TimeUnitNs = 100;
/// The most rows of an Events section, entries of a Snapshot, rows of a Summary
/// part, and threads of an Events section.
inline constexpr uint32_t MaxSectionRows = 65536;
inline constexpr uint32_t MaxSectionThreads = 255;
/// The most bytes of a section before compression. A reader takes no more
/// memory for one than this, whatever a file claims.
inline constexpr uint32_t MaxSectionBytes = 16u << 20;

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
  bool operator==(const Header &) const = default;
};

//===----------------------------------------------------------------------===//
// Intervals, snapshots
//===----------------------------------------------------------------------===//

/// What a (heap, stack) has at the end of an interval, and what it allocated
/// since the interval before that has a row of it: the same sums as those of
/// StackStats.
struct IntervalRow {
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  uint64_t LiveBlocks = 0;
  uint64_t LiveBytes = 0;
  uint64_t Allocations = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t Temporaries = 0; ///< at most 2^32 - 1 of an interval are told
  bool operator==(const IntervalRow &) const = default;
};

/// Which rows an interval has.
enum class IntervalDetail : uint8_t {
  None,    ///< an older memkit's: those whose live values changed, without sums
  Changed, ///< those whose live values changed
  Whole, ///< these, and all that allocated since an interval had a row of them
};
inline constexpr uint8_t NumIntervalDetails = 3;

/// What changed in a process since its interval before. One with more rows than
/// a section goes on in the next section, with the same Index and times. What
/// rows allocated is exact for the time from the end of a whole interval to
/// that of another. The process's begin is such an end, and so is its end,
/// where the sums of the Summary stand for all that was allocated.
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
  uint32_t Weight = 0;    ///< blocks for which it stands; 0: itself alone
  bool operator==(const LiveBlock &) const = default;
};

/// The blocks live in a process after its first `Events` events. Large ones
/// come in parts, each at most MaxSectionRows entries, allocation ids rising
/// over all parts.
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
};
inline constexpr uint8_t NumSectionKinds = 11;
const char *sectionKindName(SectionKind Kind);

/// Where a section stands and what it covers. Process, Epoch, times and Events
/// are 0 where they do not apply.
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
                 Snapshot, Summary, Index, Lifetimes, Partial>;

} // namespace memkit

#endif // MEMKIT_TRACE_SECTIONS_H
