// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of PyTorch's allocator in a trace, device by device.

#include "TorchSnapshotEvents.h"
#include "memkit/Model/Imported.h"
#include "memkit/Support/RequestError.h"
#include "memkit/Trace/TraceError.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace memkit;

TorchSnapshotVisitor::~TorchSnapshotVisitor() = default;

//===----------------------------------------------------------------------===//
// The first pass
//===----------------------------------------------------------------------===//

static bool hasIds(const Trace &T, uint32_t Stack, uint32_t ScopePath) {
  return Stack <= T.numStacks() && ScopePath <= T.scopePaths().size();
}

static std::map<uint32_t, TorchSnapshotDevice> devicesOf(const Trace &T) {
  std::map<uint32_t, TorchSnapshotDevice> Devices;
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap) {
    StringRef Name = T.heapName(Heap);
    if (!Name.consume_front("torch.cuda:"))
      continue;
    bool IsSegments = Name.consume_back(".segments");
    uint32_t Index;
    if (Name.getAsInteger(10, Index) || Index > 1023)
      continue;
    TorchSnapshotDevice &D = Devices[Index];
    (IsSegments ? D.Segments : D.Tensors) = Heap;
  }
  return Devices;
}

namespace {

class SnapshotScanner {
public:
  SnapshotScanner(const Trace &T, uint32_t Process)
      : T(T), Process(Process), Devices(devicesOf(T)) {
    for (const auto &[Index, D] : Devices) {
      IsTensors[D.Tensors] = D.Tensors != 0;
      IsSegments[D.Segments] = D.Segments != 0;
    }
  }

  Expected<TorchSnapshotScan> run() {
    for (const SectionInfo &B : T.reader().sections())
      if (Error E = take(B))
        return std::move(E);
    if (WithTensors.empty())
      return makeRequestError(T.name() +
                              ": the trace has no tensors of PyTorch on a "
                              "CUDA device");
    if (WithTensors.size() > 1)
      return makeRequestError(T.name() + ": " + Twine(WithTensors.size()) +
                              " processes have tensors on devices: choose one "
                              "process");
    TorchSnapshotScan Out;
    Out.Process = *WithTensors.begin();
    Out.Devices = std::move(Devices);
    Out.AllExpand = is_contained(T.header().Machine,
                                 "torch-allocator.expandable_segments=True");
    for (const auto &[InProcess, Block] : Resized)
      if (InProcess == Out.Process)
        Out.Resized.insert(Block);
    for (Mark &M : Marks)
      if (M.Process == Out.Process)
        Out.Marks.push_back(std::move(M));
    return Out;
  }

private:
  Error take(const SectionInfo &B) {
    if (B.Kind == SectionKind::Marks) {
      memkit::Marks Rows;
      if (Error E = T.reader().read(B, Rows))
        return E;
      for (Mark &M : Rows.Rows)
        if (M.Kind == MarkKind::Oom || M.Kind == MarkKind::RangeBegin ||
            M.Kind == MarkKind::RangeEnd || M.Kind == MarkKind::User ||
            M.Kind == MarkKind::Step) {
          if (!hasIds(T, M.Stack, M.ScopePath))
            return makeTraceError(T.name(), B.Offset,
                                  "a mark has an unknown stack or scope path");
          Marks.push_back(std::move(M));
        }
    }
    if (B.Kind != SectionKind::Events || (Process && B.Process != Process))
      return Error::success();
    Events Rows;
    if (Error E = T.reader().read(B, Rows))
      return E;
    for (const Event &E : Rows.Rows)
      take(Rows.Process, E);
    return Error::success();
  }

  void take(uint32_t Of, const Event &E) {
    if (E.Kind == EventKind::Resize) {
      if (Segments.count({Of, E.Block}))
        Resized.insert({Of, E.Block});
    } else if (E.Kind == EventKind::Allocate) {
      if (IsTensors.lookup(E.Heap))
        WithTensors.insert(Of);
      if (IsSegments.lookup(E.Heap))
        Segments.insert({Of, E.Block});
    }
  }

  const Trace &T;
  uint32_t Process;
  std::map<uint32_t, TorchSnapshotDevice> Devices;
  DenseMap<uint32_t, bool> IsTensors, IsSegments; ///< by heap
  std::set<uint32_t> WithTensors;                 ///< processes
  std::set<std::pair<uint32_t, uint64_t>> Segments, Resized;
  std::vector<Mark> Marks;
};

} // namespace

Expected<TorchSnapshotScan> memkit::scanForTorchSnapshot(const Trace &T,
                                                         uint32_t Process) {
  return SnapshotScanner(T, Process).run();
}

//===----------------------------------------------------------------------===//
// The blocks of a device
//===----------------------------------------------------------------------===//

namespace {

class DeviceEvents {
public:
  DeviceEvents(const Trace &T, uint32_t Process,
               const TorchSnapshotDevice &Device, TorchSnapshotVisitor &To)
      : T(T), Process(Process), Device(Device), To(To),
        ZeroIsBefore(importedFrom(T.header()).lacks(Lack::Allocations)) {}

  Error take(const SectionInfo &B) {
    if (B.Process != Process)
      return Error::success();
    if (B.Kind == SectionKind::Events) {
      HasEvents = true;
      if (Error E = T.reader().read(B, Rows))
        return E;
      for (size_t Row = 0; Row != Rows.Rows.size(); ++Row) {
        const Event &E = Rows.Rows[Row];
        if (!hasIds(T, E.Stack, E.ScopePath))
          return makeTraceError(T.name(), B.Offset,
                                "an event has an unknown stack or scope path");
        take(Row);
      }
    } else if (B.Kind == SectionKind::Snapshot && !HasEvents) {
      Snapshot S;
      if (Error E = T.reader().read(B, S))
        return E;
      for (const LiveBlock &L : S.Blocks)
        if (!hasIds(T, L.Stack, L.ScopePath))
          return makeTraceError(T.name(), B.Offset,
                                "a block has an unknown stack or scope path");
      takeBase(S);
    }
    return Error::success();
  }

  TorchSnapshotBlocks Live;

private:
  bool isOfDevice(uint32_t Heap) const {
    return Heap && (Heap == Device.Tensors || Heap == Device.Segments);
  }

  void take(size_t Row) {
    const Event &E = Rows.Rows[Row];
    if (E.Kind == EventKind::Allocate) {
      if (isOfDevice(E.Heap))
        allocate(Row);
      return;
    }
    auto It = Live.find(E.Block);
    if (It == Live.end())
      return;
    if (E.Kind == EventKind::Free) {
      To.freed(It->second, E.TimeNs);
      Live.erase(It);
    } else if (E.Kind == EventKind::Resize) {
      uint64_t Before = std::exchange(It->second.Size, E.Size);
      To.resized(It->second, Before, E.TimeNs);
    }
  }

  template <class ColumnT> static uint64_t at(const ColumnT &C, size_t Row) {
    return Row < C.size() ? C[Row] : 0;
  }

  void allocate(size_t Row) {
    const Event &E = Rows.Rows[Row];
    const EventColumns &C = Rows.Columns;
    TorchSnapshotBlock B;
    B.Address = at(C.Address, Row);
    B.Size = E.Size;
    B.Requested = at(C.Requested, Row);
    B.Requested = B.Requested ? B.Requested : E.Size;
    B.Enclosing = at(C.Enclosing, Row);
    B.Stack = E.Stack;
    B.ScopePath = E.ScopePath;
    B.Heap = E.Heap;
    B.Stream = uint32_t(at(C.Stream, Row));
    B.Pool = uint32_t(at(C.Pool, Row));
    To.allocated(B, E.Block, E.TimeNs, ZeroIsBefore && !E.TimeNs);
    Live[E.Block] = B;
  }

  /// Blocks from before the events that a recorder has left out.
  void takeBase(const Snapshot &S) {
    if (!S.Part)
      Live.clear();
    for (const LiveBlock &L : S.Blocks) {
      if (!isOfDevice(L.Heap))
        continue;
      TorchSnapshotBlock B;
      B.Address = L.Address;
      B.Size = B.Requested = L.Size;
      B.Enclosing = L.Enclosing;
      B.Stack = L.Stack;
      B.ScopePath = L.ScopePath;
      B.Heap = L.Heap;
      Live[L.AllocationId] = B;
    }
  }

  const Trace &T;
  uint32_t Process;
  TorchSnapshotDevice Device;
  TorchSnapshotVisitor &To;
  bool ZeroIsBefore;
  bool HasEvents = false;
  Events Rows;
};

} // namespace

Expected<TorchSnapshotBlocks> memkit::visitTorchBlocks(
    const Trace &T, uint32_t Process, const TorchSnapshotDevice &Device,
    TorchSnapshotVisitor &To, function_ref<bool()> Failed) {
  DeviceEvents Of(T, Process, Device, To);
  for (const SectionInfo &B : T.reader().sections()) {
    if (Failed())
      break;
    if (Error E = Of.take(B))
      return std::move(E);
  }
  return std::move(Of.Live);
}
