// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stats of a trace.
//
// The rows of Summary sections. A part of Sections.h, which has the units.

#ifndef MEMKIT_TRACE_SUMMARY_H
#define MEMKIT_TRACE_SUMMARY_H

#include "memkit/Trace/DeviceTimes.h"
#include "memkit/Trace/Dictionary.h"
#include "memkit/Trace/HeapStats.h"
#include "memkit/Trace/Marks.h"
#include "memkit/Trace/StackStats.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// The stats of a step, a process or a layer in one memory space.
struct SpaceShare {
  uint32_t Space = 0; ///< as TotalStats::Id
  uint64_t Allocations = 0;
  uint64_t Frees = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t FreedBytes = 0;
  uint64_t LiveBytes = 0; ///< at the end; 0 for layers and scopes
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
/// By rising memory space; without memory spaces that have no stats.
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
  uint64_t LiveBytes = 0; ///< exclusive, of `host`, at the process's end
  uint64_t PeakBytes = 0; ///< of the process alone, of `host`
  /// String; replaces the role in ProcessRecord, if found later.
  uint32_t Role = 0;
  /// The maximum of the samples; 0: no samples.
  uint64_t RssPeakBytes = 0, PssPeakBytes = 0;
  SpaceShares Shares{}; ///< of devices
  /// Of a merged trace: when the recording of the process was cut off, which is
  /// not the end of the file then. 0: the recording was not cut off.
  uint64_t CutNs = 0;
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
        rowField("shares", &P::Shares), rowField("cut", &P::CutNs));
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
  uint64_t PeakBytes = 0; ///< highest live bytes of the process in the step
  uint64_t LiveBytes = 0; ///< at the end of the step
  SpaceShares Shares{};   ///< of devices; the fields above are of `host`
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

/// The stats of all scopes of one name while they ran. For a Layer: of the
/// process's tensors in all memory spaces; the peak is the highest peak of one
/// memory space, because peaks of memory spaces are not added. For a User
/// scope: of the whole process, in the memory space `host`; a scope inside
/// another scope of its own name counts in both. For an Operator: of the
/// tensors that the operator's thread allocated and freed while the operator
/// ran; PeakBytes are the highest live bytes of the process's tensors after one
/// of these allocations. An operator inside of itself counts once, but its
/// calls and SelfNs.
struct LayerStats {
  uint32_t Process = 0;
  uint32_t Name = 0;     ///< string: the module path, or the scope's name
  bool Backward = false; ///< of an Operator: a node of autograd
  uint64_t Calls = 0;
  uint64_t DurationNs = 0;
  uint64_t Allocations = 0;
  uint64_t Frees = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t PeakBytes = 0; ///< highest live bytes
  uint64_t ReservedPeakBytes = 0;
  uint32_t FragmentationPpm = 0;
  ScopeKind Kind = ScopeKind::Layer;
  /// Of a User scope or an Operator: the highest rise of live bytes above their
  /// value at a start of the scope.
  uint64_t RiseBytes = 0;
  /// Of scopes and ranges: the stats of tensors in all memory spaces.
  /// TensorPeakBytes is the highest peak of one memory space.
  uint64_t TensorAllocations = 0, TensorFrees = 0;
  uint64_t TensorAllocatedBytes = 0, TensorFreedBytes = 0, TensorPeakBytes = 0;
  /// Of a Layer or Operator: its tensors in each memory space that it changed.
  /// Of other scopes: all blocks of devices.
  SpaceShares Shares{};
  /// Of a Layer or an Operator: DurationNs without the time of layers, or of
  /// operators, inside. 0 in a trace of an older recorder.
  uint64_t SelfNs = 0;
  /// Of an Operator: string, the dtypes and shapes of the inputs of all calls
  /// of the row; 0: not recorded, or of any shapes.
  uint32_t Shapes = 0;
  /// Of a Layer or an Operator: floating point operations by formulas for
  /// operators with a formula, of all calls.
  uint64_t Flops = 0;
  /// The time of work that was launched inside, on all devices; a layer, scope
  /// or operator inside of itself counts once. Of a Layer or an Operator:
  /// DeviceSelfNs is the part that no layer, or operator, inside launched. 0
  /// without device time.
  uint64_t DeviceNs = 0, DeviceSelfNs = 0;
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
        rowField("shares", &L::Shares), rowField("self", &L::SelfNs),
        rowField("shapes", &L::Shapes)
            .idOrNone(IdKind::String, "layer with string"),
        rowField("flops", &L::Flops), rowField("device", &L::DeviceNs),
        rowField("device-self", &L::DeviceSelfNs));
  }
};

/// The parameters, or buffers, of one dtype that a layer holds itself. A tensor
/// that several layers hold counts for the first.
struct ParameterStats {
  uint32_t Process = 0;
  uint32_t Layer = 0; ///< string
  uint32_t Dtype = 0; ///< string: `float32`
  bool Buffer = false;
  uint64_t Tensors = 0, Elements = 0, Bytes = 0;
  bool operator==(const ParameterStats &) const = default;
  static constexpr auto fields() {
    using P = ParameterStats;
    return std::tuple(
        rowField("process", &P::Process)
            .id(IdKind::Process, "parameters of process"),
        rowField("layer", &P::Layer)
            .idOrNone(IdKind::String, "parameters with string")
            .first(),
        rowField("dtype", &P::Dtype)
            .idOrNone(IdKind::String, "parameters with string"),
        rowField("buffer", &P::Buffer), rowField("tensors", &P::Tensors),
        rowField("elements", &P::Elements), rowField("bytes", &P::Bytes));
  }
};

/// The allocations of a thread in all heaps.
struct ThreadStats {
  uint32_t Thread = 0;
  uint64_t Allocations = 0;
  uint64_t AllocatedBytes = 0;
  /// Part of AllocatedBytes in blocks whose enclosing block counts the bytes,
  /// too, or of heaps outside the totals.
  uint64_t NestedBytes = 0;
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

/// Losses other than TableFull, Events, NotImported and those of device work
/// are lost events.
enum class LossKind : uint8_t {
  RingFull = 0,       ///< records dropped because a ring stayed full
  TableFull = 1,      ///< stacks cut to an ancestor because the table was full
  UnknownFree = 2,    ///< a free of no recorded block
  DoubleAllocate = 3, ///< an allocation at a live address
  BadRecord = 4,      ///< the program's side of shared memory held nonsense
  NoRing = 5,         ///< events of threads without a ring
  Events = 6,         ///< left out on request (--events, --max-size)
  /// Records of another tool's recording that a trace has no place for.
  NotImported = 7,
  /// Work of devices that CUPTI did not report, or in records that cannot be
  /// read: the times of devices lack it.
  DeviceWork = 8,
  /// Work of devices that is in sums alone: the trace has enough single pieces.
  DeviceSpans = 9,
  /// Readers replace unknown kinds by this value.
  Unknown = 255,
};
/// Whether the loss is one of events that belong into the trace.
inline constexpr bool losesEvents(LossKind K) {
  return K != LossKind::TableFull && K != LossKind::Events &&
         K != LossKind::NotImported && K != LossKind::DeviceWork &&
         K != LossKind::DeviceSpans;
}
/// Without Unknown.
inline constexpr uint8_t NumLossKinds = 10;
/// The index of a kind in an array of counts; Unknown comes last.
inline constexpr size_t lossIndex(LossKind K) {
  return K < LossKind(NumLossKinds) ? size_t(K) : NumLossKinds;
}
inline constexpr size_t NumLossCounts = NumLossKinds + 1;
inline constexpr LossKind lossKindAt(size_t Index) {
  return Index < NumLossKinds ? LossKind(Index) : LossKind::Unknown;
}
/// The kind from the id of a mark.
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

/// A set of Summary sections has one Number; the section with Complete ends the
/// set. A section holds at most MaxSectionRows rows of stacks and scope paths
/// together, and at most this number of rows of each other list, where each
/// share counts as a row. Only the last complete set of a trace counts. Rows of
/// one process may come in several StackStatsRows.
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
  std::vector<ParameterStats> Parameters;
  std::vector<DeviceTimeStats> DeviceTimes;
  bool operator==(const Summary &) const = default;
};

/// Maximum OomRecords of a process: the first ones, and the last.
inline constexpr unsigned MaxOomsOfProcess = 8;

/// The number of Rows, from First on, that fit in a section of at most Max
/// rows.
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
