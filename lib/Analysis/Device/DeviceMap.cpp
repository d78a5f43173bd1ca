// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a device's memory.

#include "memkit/Analysis/DeviceMap.h"
#include "MapSegments.h"
#include "Model/Names/TensorHeapName.h"
#include "Support/Failure.h"
#include "memkit/Model/LiveBlocks.h"
#include "memkit/Model/Replay.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace memkit {

/// The maximum size of a map: a gigabyte. A trace of a few KB may claim more
/// blocks.
static constexpr uint64_t MaxBlocks = uint64_t(1) << 22;

namespace {
class Mapper {
public:
  Mapper(const Trace &T, const Selection &Sel, MapTimePoint When, uint32_t Only)
      : T(T), Sel(Sel), When(When), Only(Only) {}
  Expected<std::vector<DeviceMap>> map();

private:
  void findDevices();
  Error findTimePoints();
  Expected<TimePoint> peakOf(uint32_t Device);
  Error mapAt(MutableArrayRef<DeviceMap> Of);
  Error take(MutableArrayRef<DeviceMap> Of, uint32_t Process, const Replay &R);
  void addMeasures(DeviceMap &M, const MarkSeries &Series);
  bool isShown(uint32_t Heap) const {
    return Sel.hasHeap(Heap) || !(T.heap(Heap).Flags & HF_OutsideTotals);
  }

  const Trace &T;
  const Selection &Sel;
  MapTimePoint When;
  uint32_t Only; ///< a device; 0: all
  std::vector<DeviceMap> Maps;
  uint64_t Blocks = 0; ///< in all maps
};
} // namespace

void Mapper::findDevices() {
  std::vector<bool> Has(T.devices().size() + 1);
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    if (Sel.hasHeap(Heap))
      Has[T.heap(Heap).Space] = true;
  for (uint32_t Device = 1; Device < Has.size(); ++Device)
    if (Has[Device] && (!Only || Device == Only))
      Maps.emplace_back().Device = Device;
}

static BitVector processesOf(const Trace &T, const Selection &Sel) {
  BitVector Processes(T.processes().size() + 1);
  for (uint32_t Process = 0; Process < Processes.size(); ++Process)
    Processes[Process] = Sel.hasProcess(Process);
  return Processes;
}

/// The time point of a device's peak. Heaps of tensors are preferred to the
/// driver's calls, which only follow them.
Expected<TimePoint> Mapper::peakOf(uint32_t Device) {
  BitVector Heaps(T.heaps().size() + 1);
  uint64_t Max = 0;
  StringRef Name;
  for (uint32_t Heap = 1; Heap < Heaps.size(); ++Heap) {
    StringRef Its = T.heapName(Heap);
    uint64_t Peak = T.heapStats(Heap).PeakBytes;
    bool IsOf = Sel.isOuterView() ? Sel.hasHeap(Heap) : isTensorHeapName(Its);
    if (T.heap(Heap).Space != Device || !IsOf || !Peak)
      continue;
    Heaps.set(Heap);
    if (Peak > Max)
      Name = Its;
    Max = std::max(Max, Peak);
  }
  TimePointSpec Peak;
  Peak.K = TimePointSpec::TimePointKind::Peak;
  Peak.Text = Heaps.any() ? ("the peak of " + Name).str() : "the peak";
  if (Heaps.any())
    return findTimePoint(T, Peak, processesOf(T, Sel), &Heaps);
  Expected<TimePoint> M = findSpacePeak(T, Device);
  if (M)
    M->Text = Peak.Text;
  return M;
}

Error Mapper::findTimePoints() {
  if (When == MapTimePoint::Oom) {
    Expected<std::vector<Mark>> Last = findLastOoms(T, processesOf(T, Sel));
    if (!Last)
      return Last.takeError();
    erase_if(Maps, [&](const DeviceMap &M) {
      return (*Last)[M.Device].Kind != MarkKind::Oom;
    });
    for (DeviceMap &M : Maps) {
      M.Oom = (*Last)[M.Device];
      M.At.TimeNs = M.Oom->TimeNs;
      M.At.Text = "oom";
    }
    return Maps.empty() ? makeError(T.name() + ": no out-of-memory event was "
                                               "recorded on a device")
                        : Error::success();
  }
  for (DeviceMap &M : Maps) {
    if (When == MapTimePoint::At) {
      M.At = *Sel.times().At;
      continue;
    }
    Expected<TimePoint> Peak = peakOf(M.Device);
    if (!Peak)
      return Peak.takeError();
    M.At = std::move(*Peak);
  }
  return Error::success();
}

/// Adds the live blocks of Process to the maps.
Error Mapper::take(MutableArrayRef<DeviceMap> Of, uint32_t Process,
                   const Replay &R) {
  std::vector<std::vector<MappedBlock>> Lists(Of.size());
  std::vector<uint32_t> ListOf(T.devices().size() + 1, Of.size());
  for (size_t I = 0; I != Of.size(); ++I)
    ListOf[Of[I].Device] = I;
  R.forEachLive(Process, [&](const LiveBlock &B, uint32_t Thread) {
    uint32_t List = ListOf[T.heap(B.Heap).Space];
    if (List == Of.size() || !isShown(B.Heap) || ++Blocks > MaxBlocks)
      return;
    MappedBlock &To = Lists[List].emplace_back();
    To.Address = B.Address;
    To.Size = To.AllocatedSize = B.Size;
    To.AllocationId = B.AllocationId;
    To.Outer = B.Enclosing;
    To.AllocatedNs = B.AllocatedNs;
    To.Process = Process;
    To.Heap = B.Heap;
    To.Stack = B.Stack;
    To.ScopePath = B.ScopePath;
    To.Thread = Thread;
  });
  if (Blocks > MaxBlocks)
    return makeError(T.name() + ": too many live blocks for a map at " +
                     Of.front().At.Text + ": more than " +
                     formatCount(MaxBlocks));
  for (size_t I = 0; I != Of.size(); ++I) {
    if (Error E = readMapDetails(T, Process, Lists[I]))
      return E;
    for (MappedBlock &B : Lists[I])
      B.IsChosen = Sel.hasAllocation({B.AllocatedNs, B.AllocatedSize, Process,
                                      B.Thread, B.Heap, B.Stack, B.ScopePath});
    addToMap(T, Of[I], Lists[I]);
  }
  return Error::success();
}

/// Of: maps with equal time point.
Error Mapper::mapAt(MutableArrayRef<DeviceMap> Of) {
  return replayTo(
      T, Sel, Of.front().At, "a map needs",
      [&](uint32_t Process, const Replay &R) { return take(Of, Process, R); });
}

void Mapper::addMeasures(DeviceMap &M, const MarkSeries &Series) {
  if (const UsedPoint *P =
          pointAt<UsedPoint>(Series.Devices[M.Device], M.At.TimeNs))
    M.Used = *P;
  // After the end of the run, no process has reserved memory.
  if (M.At.IsEnd)
    return;
  // Reserved memory of heaps that allocate from segments is shown by the
  // segments.
  auto HasSegments = [&](uint32_t Heap) {
    uint32_t Parent = T.heap(Heap).Parent;
    return Parent && !M.Segments.empty() &&
           T.heapName(Parent).ends_with(".segments");
  };
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    if (T.heap(Heap).Space == M.Device && isShown(Heap) && !HasSegments(Heap))
      if (const ReservedPoint *P =
              pointAt<ReservedPoint>(Series.Heaps[Heap], M.At.TimeNs);
          // A reserved size below the live bytes was measured before these were
          // allocated.
          P && P->Reserved && P->Reserved >= M.HeapBytes[Heap])
        M.Reserved.push_back({Heap, P->Reserved, M.HeapBytes[Heap]});
}

static bool isSameTimePoint(const TimePoint &A, const TimePoint &B) {
  return A.TimeNs == B.TimeNs && A.Events == B.Events && A.IsEnd == B.IsEnd;
}

Expected<std::vector<DeviceMap>> Mapper::map() {
  findDevices();
  if (Maps.empty() && Only)
    return std::move(Maps);
  if (Maps.empty())
    return makeError(T.name() + (T.devices().empty()
                                     ? ": this trace has no GPU memory"
                                     : ": the selection has no GPU memory"));
  if (Error E = findTimePoints())
    return std::move(E);
  MutableArrayRef<DeviceMap> Rest = Maps;
  while (!Rest.empty()) {
    size_t Same = 1;
    while (Same != Rest.size() &&
           isSameTimePoint(Rest.front().At, Rest[Same].At))
      ++Same;
    if (Error E = mapAt(Rest.take_front(Same)))
      return std::move(E);
    Rest = Rest.drop_front(Same);
  }
  Expected<MarkSeries> Series = readMarkSeries(T);
  if (!Series)
    return Series.takeError();
  for (DeviceMap &M : Maps) {
    M.TotalBytes = T.devices()[M.Device - 1].Bytes;
    M.IsOomOfDriver = M.Oom && !isTensorHeapName(T.heapName(M.Oom->Heap));
    addMeasures(M, *Series);
  }
  return std::move(Maps);
}

Expected<std::vector<DeviceMap>> mapDevices(const Trace &T,
                                            const Selection &Sel,
                                            MapTimePoint When, uint32_t Only) {
  return Mapper(T, Sel, When, Only).map();
}

/// Sets the free bytes of the device: from the out-of-memory event, else from
/// the last sample, else the total less the blocks.
static void findDeviceFree(const DeviceMap &M, OomCause &C) {
  const std::vector<uint64_t> &Values = M.Oom->Values;
  uint64_t Used = M.Used ? M.Used->Used : 0;
  uint64_t Total = M.Used && M.Used->Total ? M.Used->Total : M.TotalBytes;
  if (Values.size() > 3) {
    C.DeviceFree = Values[3];
  } else if (Total) {
    C.IsAtMost = !M.Used || M.HeldBytes > Used;
    if (!C.IsAtMost)
      C.SampleAgeNs = std::max<uint64_t>(1, M.Oom->TimeNs - M.Used->TimeNs);
    C.DeviceFree = Total - std::min(Total, std::max(Used, M.HeldBytes));
  }
}

/// The segment of the newest block of the process that asked; of the thread
/// that asked, if the thread has one. Null: none.
static const MappedSegment *newestSegment(const DeviceMap &M) {
  const MappedSegment *Newest = nullptr;
  std::tuple<bool, uint64_t, uint64_t> NewestKey;
  for (const MappedSegment &S : M.Segments)
    for (const MappedBlock &B : S.Blocks) {
      std::tuple Key(B.Thread == M.Oom->Thread, B.AllocatedNs, B.AllocationId);
      if (B.Process != M.Oom->Process || (Newest && Key < NewestKey))
        continue;
      Newest = &S;
      NewestKey = Key;
    }
  return Newest;
}

/// Sets the free bytes that the request could have used, or that the allocator
/// could have returned to the device.
static void findUsableFree(const DeviceMap &M, OomCause &C) {
  const MappedSegment *Asker = newestSegment(M);
  uint32_t Stream = Asker ? Asker->Self.Stream : 0;
  uint32_t Pool = Asker ? Asker->Self.Pool : 0;
  for (const MappedSegment &S : M.Segments) {
    const MappedBlock &Self = S.Self;
    if (Self.Process != M.Oom->Process)
      continue;
    if (Self.Stream == Stream && Self.Pool == Pool && !S.IsExpandable)
      C.OwnFreeBytes = SaturatingAdd(C.OwnFreeBytes, S.FreeBytes);
    if (S.Blocks.empty() && !Self.Pool)
      C.WholeFreeBytes = SaturatingAdd(C.WholeFreeBytes, S.FreeBytes);
  }
}

OomCause findCause(const DeviceMap &M) {
  OomCause C;
  C.Requested = M.Oom->Values.empty() ? 0 : M.Oom->Values[0];
  findDeviceFree(M, C);
  for (const MappedSegment &S : M.Segments) {
    if (S.Self.Process != M.Oom->Process)
      continue;
    C.FreeBytes = SaturatingAdd(C.FreeBytes, S.FreeBytes);
    C.NumHoles += S.Holes.size();
    C.LargestHole = std::max(C.LargestHole, S.LargestHole);
  }
  findUsableFree(M, C);
  uint64_t DeviceFree = C.DeviceFree.value_or(0);
  // The driver does not allocate holes of segments.
  uint64_t InSegments = M.IsOomOfDriver ? 0 : C.FreeBytes;
  if (InSegments && C.Requested <= C.LargestHole)
    C.Why = OomCause::OtherHole;
  else if (InSegments && C.Requested <= InSegments)
    C.Why = OomCause::Scattered;
  else if (!C.DeviceFree)
    C.Why = OomCause::Unknown;
  else if (C.Requested > SaturatingAdd(DeviceFree, InSegments))
    C.Why = OomCause::Full;
  else if (C.IsAtMost)
    C.Why = OomCause::Unknown;
  else
    C.Why = C.Requested <= DeviceFree ? OomCause::HasRoom : OomCause::Scattered;
  return C;
}

} // namespace memkit
