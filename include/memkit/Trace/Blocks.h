//===- Blocks.h - The blocks of a trace, decoded ----------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every block of a trace as plain structs: what TraceWriter takes and
// TraceReader gives. docs/TraceFormat.md says how they are laid out on disk.
//
// Units: bytes, and ns since Header::Start.MonotonicNs. Ids are dense and count
// from 1 in file order, each kind on its own; 0 means none. An id is only used
// after the Dictionary block that adds it.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_TRACE_BLOCKS_H
#define MEMKIT_TRACE_BLOCKS_H

#include "memkit/Trace/Kinds.h"
#include <bit>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace memkit {

/// The layout of frames and blocks in the file.
inline constexpr uint32_t ContainerVersion = 1;
/// The meaning of blocks. A reader accepts the range lowest..current.
inline constexpr uint32_t FormatVersion = 1;
inline constexpr uint32_t LowestFormatVersion = 1;
static_assert(LowestFormatVersion <= FormatVersion);

/// Event times are multiples of this.
inline constexpr uint64_t TimeUnitNs = 100;
/// The most rows of an Events block, entries of a Keyframe, rows of a Summary
/// part, and threads of an Events block.
inline constexpr uint32_t MaxBlockRows = 65536;
inline constexpr uint32_t MaxBlockThreads = 255;
/// The most bytes of a block before compression. A reader takes no more memory
/// for one than this, whatever a file claims.
inline constexpr uint32_t MaxBlockBytes = 16u << 20;

struct ClockTriple {
  uint64_t Tsc = 0;
  uint64_t MonotonicNs = 0; ///< CLOCK_MONOTONIC
  uint64_t RealtimeNs = 0;  ///< CLOCK_REALTIME, since 1970
  bool operator==(const ClockTriple &) const = default;
};

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
// Dictionary
//===----------------------------------------------------------------------===//

struct Device {
  std::vector<uint8_t> Uuid;
  std::string Pci;
  std::string Name;   ///< the product's name
  std::string Domain; ///< what views call it, `cuda:0`
  uint64_t Bytes = 0;
  bool operator==(const Device &) const = default;
};

struct Module {
  uint32_t Path = 0; ///< string
  std::vector<uint8_t> BuildId;
  bool operator==(const Module &) const = default;
};

/// A module mapped into an image: pc - Bias is the address in the module.
struct Load {
  uint32_t Image = 0;
  uint32_t Module = 0;
  uint64_t Start = 0;
  uint64_t Size = 0;
  uint64_t Bias = 0;
  uint64_t TimeNs = 0;
  uint64_t EndNs = 0; ///< 0: not unloaded when this was written
  bool operator==(const Load &) const = default;
};

/// A function of source code. Name is demangled.
struct Function {
  uint32_t Name = 0; ///< string
  uint32_t File = 0; ///< string, 0 when unknown
  uint32_t Line = 0; ///< of the definition, 0 when unknown
  bool operator==(const Function &) const = default;
};

enum class FrameKind : uint8_t {
  Native = 0,  ///< Owner: module, Address: in the module
  Python = 1,  ///< Owner: function, Address: line
  Named = 2,   ///< Owner: function; an allocation function, a gap marker
  Unknown = 3, ///< code that no module owns; Address: absolute
};
inline constexpr uint8_t NumFrameKinds = 4;

struct Frame {
  FrameKind Kind = FrameKind::Native;
  uint32_t Owner = 0;
  uint64_t Address = 0;
  bool operator==(const Frame &) const = default;
};

struct Location {
  uint32_t Function = 0;
  uint32_t Line = 0; ///< 0 when unknown
  bool operator==(const Location &) const = default;
};

/// What a frame of native or unknown code resolves to, innermost (inlined)
/// function first. At most 255 locations. Later additions for the same frame
/// replace earlier ones.
struct FrameSymbols {
  uint32_t Frame = 0;
  std::vector<Location> Locations;
  bool operator==(const FrameSymbols &) const = default;
};

/// New nodes and stacks. Node ids count from 1 in the order of Frames over all
/// blocks; node 0 is the root. Each stack is a path from the root: the nodes of
/// its Parent and then Length new ones, whose frames stand in NodeFrames,
/// outermost first. The stack's leaf is the last of them, or Parent when Length
/// is 0.
struct NewStack {
  uint32_t Parent = 0; ///< node
  uint32_t Length = 0;
  bool operator==(const NewStack &) const = default;
};

enum class ScopeKind : uint8_t {
  Layer = 0,
  Operator = 1,
  Range = 2, ///< record_function, NVTX
  User = 3,
  Phase = 4, ///< forward, backward, recompute, optimizer
  Line = 5,  ///< of source, in whose stead a node of autograd runs
};
inline constexpr uint8_t NumScopeKinds = 6;

struct Scope {
  ScopeKind Kind = ScopeKind::Layer;
  uint32_t Name = 0;  ///< string
  uint32_t Color = 0; ///< ARGB, 0 for none
  bool operator==(const Scope &) const = default;
};

/// A node of the context tree; ids from 1, 0 is the root.
struct Context {
  uint32_t Parent = 0;
  uint32_t Scope = 0;
  uint32_t Depth = 0; ///< frames of the stack outside the scope's entry
  bool operator==(const Context &) const = default;
};

enum class ImageOrigin : uint8_t { Start = 0, Fork = 1, Exec = 2, Spawn = 3 };
inline constexpr uint8_t NumImageOrigins = 4;

/// A process image: from its start, fork or exec to its exec or exit.
struct Image {
  uint32_t Pid = 0;
  uint32_t Parent = 0; ///< image that started it, or that it replaced
  ImageOrigin Origin = ImageOrigin::Start;
  uint32_t Exe = 0; ///< string
  std::vector<uint32_t> Command;
  uint32_t Role = 0; ///< string, 0 for none
  uint64_t StartNs = 0;
  bool Recorded = true;
  uint32_t WhyNot = 0; ///< string, when not recorded
  bool operator==(const Image &) const = default;
};

struct Thread {
  uint32_t Image = 0;
  uint32_t Tid = 0;
  uint32_t Name = 0; ///< string
  uint64_t StartNs = 0;
  bool operator==(const Thread &) const = default;
};

enum HeapFlags : uint32_t {
  HF_None = 0,
  HF_OutsideTotals = 1, ///< reservations, files, device mappings
  /// Blocks of a sample count in all sums as often as their weight says.
  HF_Estimates = 2,
};

struct Heap {
  uint32_t Name = 0;   ///< string
  uint32_t Domain = 0; ///< 0: `host`, else a device
  uint32_t Parent = 0; ///< the heap whose blocks usually enclose its own
  uint32_t Flags = HF_None;
  /// One allocated byte in so many is sampled (see Sampling.h); 0: every
  /// allocation is recorded.
  uint64_t SampleBytes = 0;

  /// SampleBytes when the sums of the heap are estimates, else 0.
  uint64_t estimateBytes() const {
    return Flags & HF_Estimates ? SampleBytes : 0;
  }
  bool operator==(const Heap &) const = default;
};

/// Additions to the tables of ids. At most MaxBlockRows of each kind but
/// NodeFrames, which has at most 4 x MaxBlockRows.
struct Dictionary {
  std::vector<std::string> Strings;
  std::vector<Device> Devices;
  std::vector<Module> Modules;
  std::vector<Function> Functions;
  std::vector<Frame> Frames;
  std::vector<NewStack> Stacks;
  std::vector<uint32_t> NodeFrames;
  std::vector<Scope> Scopes;
  std::vector<Context> Contexts;
  std::vector<Image> Images;
  std::vector<Thread> Threads;
  std::vector<Heap> Heaps;
  std::vector<Load> Loads;
  std::vector<FrameSymbols> Symbols;
  bool operator==(const Dictionary &) const = default;
};

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

enum class EventKind : uint8_t {
  Allocate = 0,
  Free = 1,
  /// The block's size becomes Size; stack, context and birth stay.
  Resize = 2,
  /// The block is cut at Size: it keeps its first Size bytes, the rest becomes
  /// a new block (the next ordinal) of the same stack, context, heap and birth.
  Split = 3,
};
inline constexpr uint8_t NumEventKinds = 4;

/// Blocks are numbered in each image by their ordinal: from 0, one for each
/// Allocate and Split in time order.
struct Event {
  uint64_t TimeNs = 0; ///< multiple of TimeUnitNs
  uint64_t Size = 0;   ///< Allocate, Resize, Split; 0 for Free
  uint64_t Block = 0;  ///< Allocate: the new ordinal; else the block named
  uint32_t Stack = 0;  ///< Allocate only
  uint32_t Context = 0;
  uint32_t Thread = 0;
  uint16_t Heap = 0; ///< Allocate only
  EventKind Kind = EventKind::Allocate;
  bool operator==(const Event &) const = default;
};
static_assert(sizeof(Event) == 40);

/// The optional columns; each is empty or holds a value for every row of the
/// block (0 in rows that are not Allocate).
struct EventColumns {
  std::vector<uint64_t> Address;
  std::vector<uint64_t>
      Enclosing; ///< ordinal + 1 of the enclosing block, 0 none
  std::vector<uint64_t> Requested;
  /// How many blocks a sampled one stands for, below 2^32; 0: itself alone.
  std::vector<uint64_t> Weight;
  std::vector<uint32_t> Stream;
  std::vector<uint32_t> Pool;
  void clear();
  bool operator==(const EventColumns &) const = default;
};

/// Up to MaxBlockRows events of one image in time order, of up to
/// MaxBlockThreads threads. Blocks of one epoch overlap in time with each other
/// and with no block of another epoch; epochs rise by file order. The order of
/// all events of a trace is (TimeNs, image, row) within an epoch.
struct Events {
  uint32_t Image = 0;
  uint32_t Epoch = 0;
  uint64_t FirstOrdinal = 0; ///< of the next block created when this begins
  std::vector<Event> Rows;
  EventColumns Columns;
  bool operator==(const Events &) const = default;
};

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

enum class MarkKind : uint8_t {
  Clock = 0,      ///< Clock
  Step = 1,       ///< Id: number of the step that begins
  User = 2,       ///< Name
  RangeBegin = 3, ///< Name, Id
  RangeEnd = 4,   ///< Id
  Rss = 5,        ///< Values: resident, of it shared (bytes)
  /// Id: device; Values: used, total, and, where the recorder knew, accounted
  /// for, and of the rest: contexts, modules, other processes; what the
  /// recorded processes have. Of the last four UnknownBytes: not known.
  DeviceUsed = 6,
  /// Heap; Values: reserved, active, of a trim what it gave (else UnknownBytes,
  /// where more follows); of a heap of several pools, those of the pool Id
  /// alone: reserved, active. Id: as the blocks' pools are numbered, 0: the
  /// device's own.
  HeapReserved = 7,
  Oom = 8, ///< Heap, Stack, Context, Thread; Values: requested, live, reserved
  Alert = 9, ///< Name: text
  Loss = 10, ///< Id: LossKind; Values: count
  ImageEnd =
      11, ///< Values: exit status (128+n when killed), signal; empty: unknown
  ScopeName = 12, ///< Context, Name: the full name of a folded scope
  RecordOn = 13,
  RecordOff = 14,
  BlockName = 15, ///< Heap, Name; Id: ordinal of the block
  Pss = 16,       ///< Values: proportional share, private, swapped out (bytes)
};
inline constexpr uint64_t UnknownBytes = ~uint64_t(0);
inline constexpr uint8_t NumMarkKinds = 17;

struct Mark {
  MarkKind Kind = MarkKind::Clock;
  uint32_t Image = 0;
  uint64_t TimeNs = 0;
  uint32_t Thread = 0;
  uint32_t Name = 0; ///< string
  uint64_t Id = 0;
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  uint32_t Context = 0;
  std::vector<uint64_t> Values;
  ClockTriple Clock;
  bool operator==(const Mark &) const = default;
};

struct Marks {
  std::vector<Mark> Rows;
  bool operator==(const Marks &) const = default;
};

//===----------------------------------------------------------------------===//
// Slices, keyframes
//===----------------------------------------------------------------------===//

/// The live value of a (heap, stack) at the end of a slice.
struct SliceRow {
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  uint64_t LiveBlocks = 0;
  uint64_t LiveBytes = 0;
  bool operator==(const SliceRow &) const = default;
};

/// What changed in an image since its slice before. One with more rows than a
/// block goes on in the next block, with the same Index and times.
struct Slice {
  uint64_t Index = 0; ///< in its image, from 0
  uint64_t FirstStep = 0;
  uint64_t LastStep = 0;
  uint64_t BeginNs = 0;
  uint64_t EndNs = 0;
  std::vector<SliceRow> Rows;
  bool operator==(const Slice &) const = default;
};

struct Slices {
  uint32_t Image = 0;
  std::vector<Slice> Rows;
  bool operator==(const Slices &) const = default;
};

struct LiveBlock {
  uint64_t Ordinal = 0;
  uint64_t Size = 0;
  uint64_t BirthNs = 0;
  uint32_t Stack = 0;
  uint32_t Context = 0;
  uint32_t Heap = 0;
  uint64_t Address = 0;   ///< 0 when not recorded
  uint64_t Enclosing = 0; ///< ordinal + 1, 0 none
  uint32_t Weight = 0;    ///< blocks for which it stands; 0: itself alone
  bool operator==(const LiveBlock &) const = default;
};

/// The blocks live in an image after its first `Events` events. Large ones come
/// in parts, each at most MaxBlockRows entries, ordinals rising over all parts.
struct Keyframe {
  uint32_t Image = 0;
  uint64_t TimeNs = 0;
  uint64_t Events = 0;
  uint64_t NextOrdinal = 0;
  uint32_t Part = 0;
  bool Last = true;
  std::vector<LiveBlock> Blocks;
  bool operator==(const Keyframe &) const = default;
};

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

/// The sums of a (image, heap, stack) or (image, heap, context).
///
/// Live values are those at the image's end. Freed blocks are
/// Allocations + Splits - LiveBlocks, freed bytes AllocatedBytes - LiveBytes.
/// A growing Resize adds to AllocatedBytes, a shrinking one to the freed bytes.
/// Temporaries were freed by the thread that allocated them before it allocated
/// again. DomainPeak values and LiveExclusive count exclusive bytes.
struct SumRow {
  uint32_t Key = 0; ///< stack or context
  uint32_t Heap = 0;
  uint64_t Allocations = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t Splits = 0;
  uint64_t Temporaries = 0;
  uint64_t LiveBlocks = 0;
  uint64_t LiveBytes = 0;
  uint64_t LiveExclusive = 0;
  uint64_t PeakBytes = 0; ///< its own highest live bytes
  uint64_t HeapPeakBlocks = 0;
  uint64_t HeapPeakBytes = 0; ///< its live bytes at its heap's peak
  uint64_t DomainPeakBlocks = 0;
  uint64_t DomainPeakBytes = 0; ///< its exclusive bytes at its domain's peak
  bool operator==(const SumRow &) const = default;
};

struct SumRows {
  uint32_t Image = 0;
  std::vector<SumRow> Rows;
  bool operator==(const SumRows &) const = default;
};

/// Of a heap or domain, over all images in one order of time. A domain counts
/// exclusive bytes of the heaps that are not HF_OutsideTotals.
struct Totals {
  uint32_t Id = 0; ///< heap; or domain: 0 `host`, else device
  uint64_t Allocations = 0;
  uint64_t Frees = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t FreedBytes = 0;
  uint64_t Temporaries = 0;
  uint64_t LiveBlocks = 0; ///< when each block's image ended
  uint64_t LiveBytes = 0;
  uint64_t PeakBytes = 0;
  uint64_t PeakBlocks = 0;
  uint64_t PeakTimeNs = 0;
  bool operator==(const Totals &) const = default;
};

/// Allocations are counted by the bits that their size has: those of 0 bytes,
/// of 1, of 2 and 3, of 4 to 7, ...
inline constexpr unsigned NumSizeClasses = 65;
inline unsigned sizeClass(uint64_t Bytes) { return std::bit_width(Bytes); }
/// The smallest size of a class.
inline uint64_t sizeClassBegin(unsigned Class) {
  return Class ? uint64_t(1) << (Class - 1) : 0;
}

struct HeapTotals : Totals {
  bool ReservedKnown = false;
  uint64_t ReservedBytes = 0;
  uint64_t ReservedPeakBytes = 0;
  uint64_t ReservedAtPeakBytes = 0; ///< when live bytes were highest
  /// The largest share of what was reserved that was not live when more was
  /// reserved, in millionths.
  uint32_t GrowthFragmentationPpm = 0;
  /// Allocations by sizeClass(), at the size that they had then; without the
  /// zeros at the end. Empty: not counted.
  std::vector<uint64_t> Sizes;
  bool operator==(const HeapTotals &) const = default;
};

/// The share of Reserved bytes that is not Live, in millionths.
inline uint32_t fragmentationPpm(uint64_t Reserved, uint64_t Live) {
  if (Live >= Reserved)
    return 0;
  return uint32_t(double(Reserved - Live) / double(Reserved) * 1e6 + 0.5);
}

struct ImageTotals {
  uint32_t Image = 0;
  uint64_t EndNs = 0;
  bool Ended = false;
  int32_t ExitStatus = -1; ///< 128+n when killed; -1 unknown
  uint32_t Signal = 0;
  uint64_t Allocations = 0;
  uint64_t Frees = 0;
  uint64_t InheritedFrees = 0;
  uint64_t Lost = 0;
  uint64_t LiveBytes = 0; ///< exclusive, domain host, at its end
  uint64_t PeakBytes = 0; ///< of the image alone, domain host
  uint32_t Role = 0; ///< string; what was learnt late, in Image's place
  /// Of the samples: the most that was resident; 0: there are none.
  uint64_t RssPeakBytes = 0, PssPeakBytes = 0;
  bool operator==(const ImageTotals &) const = default;
};

struct StepTotals {
  uint32_t Image = 0;
  uint64_t Step = 0;
  uint64_t BeginNs = 0;
  uint64_t EndNs = 0;
  uint64_t Allocations = 0;
  uint64_t Frees = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t FreedBytes = 0;
  uint64_t PeakBytes = 0; ///< highest live bytes of the image within the step
  uint64_t LiveBytes = 0; ///< at its end
  bool operator==(const StepTotals &) const = default;
};

/// What happened while scopes of one name ran. Of a Layer the thread's own; of
/// a User scope the whole image's: bytes and counts of the domain `host`, and a
/// scope that runs within one of the same name counts in both.
struct LayerTotals {
  uint32_t Image = 0;
  uint32_t Name = 0; ///< string: the module path, or the scope's name
  bool Backward = false;
  uint64_t Calls = 0;
  uint64_t DurationNs = 0;
  uint64_t Allocations = 0;
  uint64_t Frees = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t PeakBytes = 0; ///< highest live bytes
  uint64_t ReservedPeakBytes = 0;
  uint32_t FragmentationPpm = 0;
  ScopeKind Kind = ScopeKind::Layer;
  /// Of a User scope: the most by which live bytes rose above those at a begin.
  uint64_t RiseBytes = 0;
  /// Of scopes and ranges: what happened to tensors, of all devices; their peak
  /// is the sum of the devices' own.
  uint64_t TensorAllocations = 0, TensorFrees = 0;
  uint64_t TensorAllocatedBytes = 0, TensorFreedBytes = 0, TensorPeakBytes = 0;
  bool operator==(const LayerTotals &) const = default;
};

/// What a thread allocated, of all heaps.
struct ThreadTotals {
  uint32_t Thread = 0;
  uint64_t Allocations = 0;
  uint64_t AllocatedBytes = 0;
  bool operator==(const ThreadTotals &) const = default;
};

enum class LossKind : uint8_t {
  RingFull = 0,       ///< records dropped because a ring stayed full
  TableFull = 1,      ///< stacks cut to an ancestor, the table being full
  UnknownFree = 2,    ///< a free of no recorded block
  DoubleAllocate = 3, ///< an allocation at a live address
  BadRecord = 4,      ///< the program's side of shared memory held nonsense
  NoRing = 5,         ///< events of threads for which there was no ring
  Events = 6,         ///< left out on request (--events, --max-size)
};
inline constexpr uint8_t NumLossKinds = 7;

struct Loss {
  uint32_t Image = 0;
  LossKind Kind = LossKind::RingFull;
  uint64_t Count = 0;
  bool operator==(const Loss &) const = default;
};

/// A set of Summary blocks has one Number; the one with Complete ends it. A
/// block holds at most MaxBlockRows rows of stacks and contexts together. Only
/// the last complete set of a trace counts. Rows of one image may come in
/// several SumRows.
struct Summary {
  uint32_t Number = 0;
  uint64_t EndNs = 0;
  bool Complete = true;
  uint64_t Events = 0;
  uint64_t Marks = 0;
  std::vector<SumRows> Stacks;
  std::vector<SumRows> Contexts;
  std::vector<HeapTotals> Heaps;
  std::vector<Totals> Domains;
  std::vector<ImageTotals> Images;
  std::vector<StepTotals> Steps;
  std::vector<LayerTotals> Layers;
  std::vector<Loss> Losses;
  std::vector<KindTotals> Kinds;
  std::vector<OomTotals> Ooms;
  std::vector<OomHeap> OomHeaps;
  std::vector<ThreadTotals> Threads;
  bool operator==(const Summary &) const = default;
};

//===----------------------------------------------------------------------===//
// Index
//===----------------------------------------------------------------------===//

enum class BlockKind : uint8_t {
  None = 0, ///< a body of a newer format
  Header = 1,
  Dictionary = 2,
  Events = 3,
  Marks = 4,
  Slices = 5,
  Keyframe = 6,
  Summary = 7,
  Index = 8,
};
inline constexpr uint8_t NumBlockKinds = 9;
const char *blockKindName(BlockKind Kind);

/// Where a block stands and what it covers. Image, Epoch, times and Events are
/// 0 where they do not apply.
struct BlockInfo {
  BlockKind Kind = BlockKind::None;
  uint64_t Offset = 0;     ///< in the file
  uint64_t Compressed = 0; ///< bytes of its zstd frame
  uint64_t Raw = 0;        ///< bytes when decompressed, size prefix included
  uint32_t Image = 0;
  uint32_t Epoch = 0;
  uint64_t BeginNs = 0;
  uint64_t EndNs = 0;
  uint64_t Events = 0;
  bool operator==(const BlockInfo &) const = default;
};

struct Index {
  std::vector<BlockInfo> Blocks; ///< all before the index, in file order
  bool operator==(const Index &) const = default;
};

/// Any block, decoded.
using AnyBlock = std::variant<std::monostate, Header, Dictionary, Events, Marks,
                              Slices, Keyframe, Summary, Index>;

} // namespace memkit

#endif // MEMKIT_TRACE_BLOCKS_H
