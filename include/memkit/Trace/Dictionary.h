// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of a trace's ids.
//
// The rows of Dictionary sections. A part of Sections.h, which has the units.

#ifndef MEMKIT_TRACE_DICTIONARY_H
#define MEMKIT_TRACE_DICTIONARY_H

#include "memkit/Trace/Categories.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

struct Device {
  std::vector<uint8_t> Uuid;
  std::string Pci;
  std::string Name;  ///< the product's name
  std::string Space; ///< the memory space's name in views, `cuda:0`
  uint64_t Bytes = 0;
  bool operator==(const Device &) const = default;
};

struct Binary {
  uint32_t Path = 0; ///< string
  std::vector<uint8_t> BuildId;
  bool operator==(const Binary &) const = default;
};

/// A binary mapped into a process: pc - Bias is the address in the binary.
struct Load {
  uint32_t Process = 0;
  uint32_t Binary = 0;
  uint64_t Start = 0;
  uint64_t Size = 0;
  uint64_t Bias = 0;
  uint64_t TimeNs = 0;
  uint64_t EndNs = 0; ///< 0: still loaded when the section was written
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
  Native = 0,  ///< Container: binary, Address: in the binary
  Python = 1,  ///< Container: function, Address: line
  Named = 2,   ///< Container: function; an allocation function, a gap marker
  Unknown = 3, ///< code outside all binaries; Address: absolute
};
inline constexpr uint8_t NumFrameKinds = 4;

struct Frame {
  FrameKind Kind = FrameKind::Native;
  uint32_t Container = 0;
  uint64_t Address = 0;
  bool operator==(const Frame &) const = default;
};

struct Location {
  uint32_t Function = 0;
  uint32_t Line = 0; ///< 0 when unknown
  bool operator==(const Location &) const = default;
};

/// The source locations of a frame of native or unknown code, innermost
/// (inlined) function first. At most 255 locations. Later additions for the
/// same frame replace earlier ones.
struct FrameSymbols {
  uint32_t Frame = 0;
  std::vector<Location> Locations;
  bool operator==(const FrameSymbols &) const = default;
};

/// The text of a line of source, for lines that allocate.
struct SourceLine {
  uint32_t File = 0; ///< string, as Function::File
  uint32_t Line = 0;
  uint32_t Text = 0; ///< string: UTF-8, no blanks in front
  bool operator==(const SourceLine &) const = default;
};

/// New nodes and stacks. Node ids count from 1 in the order of NodeFrames over
/// all sections; node 0 is the root. Each stack is a path from the root: the
/// nodes of its Parent, then Length new nodes with their frames in NodeFrames,
/// outermost first. The leaf of the stack is the last new node, or Parent when
/// Length is 0.
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
  Line = 5,  ///< of source; a node of autograd runs in its place
};
inline constexpr uint8_t NumScopeKinds = 6;

struct ScopeRecord {
  ScopeKind Kind = ScopeKind::Layer;
  uint32_t Name = 0;  ///< string
  uint32_t Color = 0; ///< ARGB, 0 for none
  bool operator==(const ScopeRecord &) const = default;
};

/// A node of the scope tree; ids from 1, 0 is the root.
struct ScopePath {
  uint32_t Parent = 0;
  uint32_t Scope = 0;
  uint32_t Depth = 0; ///< frames of the stack outside the scope's entry
  bool operator==(const ScopePath &) const = default;
};

enum class ProcessOrigin : uint8_t { Start = 0, Fork = 1, Exec = 2, Spawn = 3 };
inline constexpr uint8_t NumProcessOrigins = 4;

/// Where a process stands in a distributed job, from its launcher's variables.
/// Numbers count from 0; -1 or string 0: not known.
struct JobPlace {
  int32_t Rank = -1;
  int32_t WorldSize = -1; ///< ranks of the job
  int32_t LocalRank = -1; ///< among the ranks of the machine
  int32_t Node = -1;      ///< the machine's number in the job
  int32_t Attempt = -1;   ///< restarts of the job before
  uint32_t Job = 0;       ///< string: the launcher's name of the job
  /// String: the machine's name, if the header has another one, as in a merged
  /// trace.
  uint32_t Host = 0;
  bool operator==(const JobPlace &) const = default;
};

/// A process: from its start, fork or exec to its exec or exit.
struct ProcessRecord {
  uint32_t Pid = 0;
  /// The process that started this process, or that this process replaced.
  uint32_t Parent = 0;
  ProcessOrigin Origin = ProcessOrigin::Start;
  uint32_t Exe = 0; ///< string
  std::vector<uint32_t> Command;
  uint32_t Role = 0; ///< string, 0 for none
  uint64_t StartNs = 0;
  bool Recorded = true;
  uint32_t WhyNot = 0; ///< string, when not recorded
  JobPlace Place;
  bool operator==(const ProcessRecord &) const = default;
};

struct Thread {
  uint32_t Process = 0;
  uint32_t Tid = 0;
  uint32_t Name = 0; ///< string
  uint64_t StartNs = 0;
  bool operator==(const Thread &) const = default;
};

enum HeapFlags : uint32_t {
  HF_None = 0,
  HF_OutsideTotals = 1, ///< reservations, files, device mappings
  /// Stats count each sampled block with its weight.
  HF_Estimates = 2,
  /// Each block with a weight stands for this number of equal blocks: a
  /// recording that has sums by stack alone. Exact values.
  HF_Sums = 4,
  /// Sizes are those of samples: a block grows and shrinks at the next sample.
  HF_Samples = 8,
};

struct Heap {
  uint32_t Name = 0;  ///< string
  uint32_t Space = 0; ///< 0: `host`, else a device
  /// The heap whose blocks usually enclose this heap's blocks.
  uint32_t Parent = 0;
  uint32_t Flags = HF_None;
  /// One allocated byte in SampleBytes is sampled (see Sampling.h); 0: every
  /// allocation is recorded.
  uint64_t SampleBytes = 0;

  /// SampleBytes if the stats of the heap are estimates, else 0.
  uint64_t estimateBytes() const {
    return Flags & HF_Estimates ? SampleBytes : 0;
  }
  /// Whether stats count a block as often as its weight says.
  bool countsWeights() const { return estimateBytes() || Flags & HF_Sums; }
  bool operator==(const Heap &) const = default;
};

/// Additions to the tables of ids. At most MaxSectionRows of each kind but
/// NodeFrames, which has at most 4 x MaxSectionRows.
struct Dictionary {
  std::vector<std::string> Strings;
  std::vector<Device> Devices;
  std::vector<Binary> Binaries;
  std::vector<Function> Functions;
  std::vector<Frame> Frames;
  std::vector<NewStack> Stacks;
  std::vector<uint32_t> NodeFrames;
  std::vector<ScopeRecord> Scopes;
  std::vector<ScopePath> ScopePaths;
  std::vector<ProcessRecord> Processes;
  std::vector<Thread> Threads;
  std::vector<Heap> Heaps;
  std::vector<Load> Loads;
  std::vector<FrameSymbols> Symbols;
  std::vector<SourceLine> SourceLines;
  bool operator==(const Dictionary &) const = default;
};

} // namespace memkit

#endif // MEMKIT_TRACE_DICTIONARY_H
