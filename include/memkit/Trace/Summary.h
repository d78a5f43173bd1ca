// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of a trace.
//
// The rows of Summary sections. A part of Sections.h, which has the units.

#ifndef MEMKIT_TRACE_SUMMARY_H
#define MEMKIT_TRACE_SUMMARY_H

#include "memkit/Trace/Dictionary.h"
#include "memkit/Trace/HeapStats.h"
#include "memkit/Trace/Marks.h"
#include "memkit/Trace/StackStats.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// What a step, a process or a layer had of one memory space.
struct SpaceShare {
  uint32_t Space = 0; ///< as TotalStats::Id
  uint64_t Allocations = 0;
  uint64_t Frees = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t FreedBytes = 0;
  uint64_t LiveBytes = 0; ///< at the end; of layers and scopes not told
  uint64_t PeakBytes = 0;
  uint64_t RiseBytes = 0;         ///< of scopes, as LayerStats::RiseBytes
  uint64_t ReservedPeakBytes = 0; ///< of layers and scopes; 0: not known
  bool operator==(const SpaceShare &) const = default;
  static constexpr auto fields() {
    using S = SpaceShare;
    return std::tuple(rowField("space", &S::Space)
                          .idOrNone(IdKind::Device, "share of device")
                          .key(),
                      checkedField("allocations", &S::Allocations),
                      checkedField("frees", &S::Frees),
                      checkedField("allocated-bytes", &S::AllocatedBytes),
                      checkedField("freed-bytes", &S::FreedBytes),
                      checkedField("live-bytes", &S::LiveBytes),
                      checkedField("peak-bytes", &S::PeakBytes),
                      rowField("rise-bytes", &S::RiseBytes),
                      rowField("reserved-peak-bytes", &S::ReservedPeakBytes));
  }
};
inline bool isAny(const SpaceShare &S) {
  return S.Allocations || S.Frees || S.LiveBytes || S.PeakBytes;
}
/// By rising memory space, those of which there is something.
using SpaceShares = std::vector<SpaceShare>;

struct ProcessStats {
  uint32_t Process = 0;
  uint64_t EndNs = 0;
  bool Ended = false;
  int32_t ExitStatus = -1; ///< 128+n when killed; -1 unknown
  uint32_t Signal = 0;
  uint64_t Allocations = 0;
  uint64_t Frees = 0;
  uint64_t InheritedFrees = 0;
  uint64_t Lost = 0;
  uint64_t LiveBytes = 0; ///< exclusive, memory space host, at its end
  uint64_t PeakBytes = 0; ///< of the process alone, memory space host
  uint32_t Role = 0;      ///< string; what was learnt late, in Process's place
  /// Of the samples: the most that was resident; 0: there are none.
  uint64_t RssPeakBytes = 0, PssPeakBytes = 0;
  SpaceShares Shares{}; ///< of devices
  bool operator==(const ProcessStats &) const = default;
  static constexpr auto fields() {
    using P = ProcessStats;
    return std::tuple(
        rowField("process", &P::Process)
            .id(IdKind::Process, "totals of process")
            .key(),
        checkedField("end", &P::EndNs), rowField("ended", &P::Ended),
        rowField("exit-status", &P::ExitStatus).orElse(-1),
        rowField("signal", &P::Signal),
        checkedField("allocations", &P::Allocations),
        checkedField("frees", &P::Frees),
        rowField("inherited-frees", &P::InheritedFrees),
        rowField("lost", &P::Lost), checkedField("live-bytes", &P::LiveBytes),
        checkedField("peak-bytes", &P::PeakBytes),
        rowField("role", &P::Role)
            .idOrNone(IdKind::String, "totals of process with string"),
        rowField("rss-peak-bytes", &P::RssPeakBytes),
        rowField("pss-peak-bytes", &P::PssPeakBytes),
        rowField("shares", &P::Shares));
  }
};

struct StepStats {
  uint32_t Process = 0;
  uint64_t Step = 0;
  uint64_t BeginNs = 0;
  uint64_t EndNs = 0;
  uint64_t Allocations = 0;
  uint64_t Frees = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t FreedBytes = 0;
  uint64_t PeakBytes = 0; ///< highest live bytes of the process within the step
  uint64_t LiveBytes = 0; ///< at its end
  SpaceShares Shares{};   ///< of devices; what stands above is of `host`
  bool operator==(const StepStats &) const = default;
  static constexpr auto fields() {
    using S = StepStats;
    return std::tuple(rowField("process", &S::Process)
                          .id(IdKind::Process, "totals of process"),
                      rowField("step", &S::Step).key(),
                      checkedField("begin", &S::BeginNs),
                      checkedField("end", &S::EndNs),
                      checkedField("allocations", &S::Allocations),
                      checkedField("frees", &S::Frees),
                      checkedField("allocated-bytes", &S::AllocatedBytes),
                      checkedField("freed-bytes", &S::FreedBytes),
                      checkedField("peak-bytes", &S::PeakBytes),
                      checkedField("live-bytes", &S::LiveBytes),
                      rowField("shares", &S::Shares));
  }
};

/// What happened while scopes of one name ran. Of a Layer the process's
/// tensors, of all memory spaces, with its peak the highest that one memory
/// space had: peaks of memory spaces are not added. Of a User scope the whole
/// process's: bytes and counts of the memory space `host`, and a scope that
/// runs within one of the same name counts in both.
struct LayerStats {
  uint32_t Process = 0;
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
  /// Of scopes and ranges: what happened to tensors, of all memory spaces;
  /// their peak is the highest that one of them had.
  uint64_t TensorAllocations = 0, TensorFrees = 0;
  uint64_t TensorAllocatedBytes = 0, TensorFreedBytes = 0, TensorPeakBytes = 0;
  /// Of a Layer: its tensors in each memory space in which it changed any. Of
  /// others: all blocks of devices.
  SpaceShares Shares{};
  bool operator==(const LayerStats &) const = default;
  static constexpr auto fields() {
    using L = LayerStats;
    return std::tuple(
        rowField("process", &L::Process)
            .id(IdKind::Process, "totals of process"),
        rowField("name", &L::Name)
            .idOrNone(IdKind::String, "layer with string")
            .first(),
        rowField("backward", &L::Backward), rowField("calls", &L::Calls),
        rowField("duration", &L::DurationNs),
        rowField("allocations", &L::Allocations), rowField("frees", &L::Frees),
        rowField("allocated-bytes", &L::AllocatedBytes),
        rowField("peak-bytes", &L::PeakBytes),
        rowField("reserved-peak-bytes", &L::ReservedPeakBytes),
        rowField("fragmentation-ppm", &L::FragmentationPpm),
        rowField("kind", &L::Kind), rowField("rise-bytes", &L::RiseBytes),
        rowField("tensor-allocations", &L::TensorAllocations),
        rowField("tensor-frees", &L::TensorFrees),
        rowField("tensor-allocated-bytes", &L::TensorAllocatedBytes),
        rowField("tensor-freed-bytes", &L::TensorFreedBytes),
        rowField("tensor-peak-bytes", &L::TensorPeakBytes),
        rowField("shares", &L::Shares));
  }
};

/// What a thread allocated, of all heaps.
struct ThreadStats {
  uint32_t Thread = 0;
  uint64_t Allocations = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t NestedBytes = 0; ///< of these, those in blocks that count them, too
  bool operator==(const ThreadStats &) const = default;
  static constexpr auto fields() {
    using T = ThreadStats;
    return std::tuple(rowField("thread", &T::Thread)
                          .id(IdKind::Thread, "totals of thread")
                          .key(),
                      checkedField("allocations", &T::Allocations),
                      checkedField("allocated-bytes", &T::AllocatedBytes),
                      checkedField("nested-bytes", &T::NestedBytes));
  }
};

enum class LossKind : uint8_t {
  RingFull = 0,       ///< records dropped because a ring stayed full
  TableFull = 1,      ///< stacks cut to an ancestor, the table being full
  UnknownFree = 2,    ///< a free of no recorded block
  DoubleAllocate = 3, ///< an allocation at a live address
  BadRecord = 4,      ///< the program's side of shared memory held nonsense
  NoRing = 5,         ///< events of threads for which there was no ring
  Events = 6,         ///< left out on request (--events, --max-size)
  /// What readers put in the place of kinds that they do not know.
  Unknown = 255,
};
/// Without Unknown.
inline constexpr uint8_t NumLossKinds = 7;
/// Where an array of counts has a kind: Unknown is behind the others.
inline constexpr size_t lossIndex(LossKind K) {
  return K < LossKind(NumLossKinds) ? size_t(K) : NumLossKinds;
}
inline constexpr size_t NumLossCounts = NumLossKinds + 1;
inline constexpr LossKind lossKindAt(size_t Index) {
  return Index < NumLossKinds ? LossKind(Index) : LossKind::Unknown;
}
/// As a mark tells it.
inline constexpr LossKind lossKindOf(uint64_t Id) {
  return lossKindAt(Id < NumLossKinds ? size_t(Id) : NumLossKinds);
}

struct Loss {
  uint32_t Process = 0;
  LossKind Kind = LossKind::RingFull;
  uint64_t Count = 0;
  bool operator==(const Loss &) const = default;
  static constexpr auto fields() {
    return std::tuple(rowField("process", &Loss::Process)
                          .idOrNone(IdKind::Process, "loss of process"),
                      rowField("kind", &Loss::Kind).key(),
                      rowField("count", &Loss::Count));
  }
};

/// A set of Summary sections has one Number; the one with Complete ends it. A
/// section holds at most MaxSectionRows rows of stacks and scope paths
/// together, and as many of each other list, each share being one. Only the
/// last complete set of a trace counts. Rows of one process may come in several
/// StackStatsRows.
struct Summary {
  uint32_t Number = 0;
  uint64_t EndNs = 0;
  bool Complete = true;
  uint64_t Events = 0;
  uint64_t Marks = 0;
  std::vector<StackStatsRows> Stacks;
  std::vector<StackStatsRows> ScopePaths;
  std::vector<HeapStats> Heaps;
  std::vector<TotalStats> Spaces;
  std::vector<ProcessStats> Processes;
  std::vector<StepStats> Steps;
  std::vector<LayerStats> Layers;
  std::vector<Loss> Losses;
  std::vector<CategoryStats> Categories;
  std::vector<OomRecord> Ooms;
  std::vector<OomHeap> OomHeaps;
  std::vector<ThreadStats> Threads;
  bool operator==(const Summary &) const = default;
};

/// How many of Rows, from First on, fit in a section of at most Max rows.
template <class T>
size_t rowsThatFit(const std::vector<T> &Rows, size_t First, size_t Max) {
  size_t End = First, Used = 0;
  for (; End != Rows.size(); ++End) {
    Used += 1;
    if constexpr (requires { Rows[End].Shares; })
      Used += Rows[End].Shares.size();
    if (Used > Max)
      break;
  }
  return End - First;
}

} // namespace memkit

#endif // MEMKIT_TRACE_SUMMARY_H
