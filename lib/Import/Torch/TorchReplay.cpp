// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the events of a trace from a PyTorch snapshot.

#include "TorchReplay.h"
#include "Import/Build/BlockTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

/// Without times, events are a microsecond apart.
static constexpr uint64_t NsPerUs = 1000;

TorchReplay::TorchReplay(TraceBuilder &To, TorchSnapshotData &In)
    : To(To), In(In), Sizes(In.Settings.Sizes),
      Process(To.addProcess(ProcessRecord())), Thread(To.addThread(Process, 0)),
      Steps(To, Process, In) {}

/// The heaps of a device have the names, order and parents that memrec gives
/// them.
void TorchReplay::start() {
  uint64_t First = UINT64_MAX;
  for (auto &[Index, Data] : In.Devices) {
    DeviceReplay &D = Devices.emplace_back(Index, Data, To, In.Labels, Ranges);
    std::string Name = "cuda:" + utostr(Index);
    uint32_t Space = To.space(Name);
    if (!Data.Segments.empty() || !Data.Trace.SegmentEvents.empty())
      D.SegmentHeap = To.heap("torch." + Name + ".segments", Space, 0,
                              hidesLines(Data) ? HF_OutsideTotals : HF_None);
    D.TensorHeap = To.heap("torch." + Name, Space, D.SegmentHeap);
    D.Scopes.Process = Process;
    D.Scopes.Heap = D.TensorHeap;
    NumEvents += Data.Trace.Log.size();
    if (!D.Events.atEnd() && D.Events.event().TimeUs)
      First = std::min(First, D.Events.event().TimeUs);
  }
  for (const TorchAnnotation &A : In.Annotations)
    if (A.TimeUs)
      First = std::min(First, A.TimeUs);
  FirstUs = First == UINT64_MAX ? 0 : First;
  for (DeviceReplay &D : Devices)
    startDevice(D);
  // Time 0 is for what lived before the first event.
  if (NumBefore && FirstUs)
    --FirstUs;
  if (FirstUs < UINT64_MAX / NsPerUs)
    To.Head.Start.RealtimeNs = FirstUs * NsPerUs;
}

uint64_t TorchReplay::timeNs(uint64_t Us) const {
  // Longer than a hundred years: a damaged time.
  constexpr uint64_t MaxNs = uint64_t(1) << 62;
  uint64_t Since = Us > FirstUs ? Us - FirstUs : 0;
  return Since < MaxNs / NsPerUs ? Since * NsPerUs : MaxNs;
}

/// The time of a mark that keeps its place among the events: a mark applies
/// before the events of its time.
uint64_t TorchReplay::markNs() const {
  return std::max(NowNs, To.numEvents() ? To.lastNs() + TimeUnitNs : 0);
}

/// The device with the earliest event; null: all are at their end. An event
/// without a time has the time of the event before.
TorchReplay::DeviceReplay *TorchReplay::next() {
  DeviceReplay *Next = nullptr;
  for (DeviceReplay &D : Devices) {
    if (D.Events.atEnd())
      continue;
    D.NowUs = std::max(D.NowUs, D.Events.event().TimeUs);
    if (!Next || D.NowUs < Next->NowUs)
      Next = &D;
  }
  return Next;
}

void TorchReplay::run(const ProgressCallback &OnProgress) {
  constexpr uint64_t ProgressStep = 1 << 16;
  start();
  auto Report = [&] {
    if (OnProgress)
      OnProgress("replaying the snapshot", NumTaken, NumEvents);
  };
  Report();
  while (DeviceReplay *D = next()) {
    if (In.HasTimes) {
      takeAnnotations(D->NowUs);
      NowNs = std::max(NowNs, timeNs(D->NowUs));
    } else {
      NowNs = (NumTaken + 1) * NsPerUs;
    }
    take(*D, D->Events.event());
    D->Events.next();
    if (++NumTaken % ProgressStep == 0)
      Report();
  }
  Report();
  takeAnnotations(UINT64_MAX);
  for (DeviceReplay &D : Devices) {
    finishTensors(D);
    finishSegments(D);
    if (D.Reserved)
      markReserved(D);
    categorizeLive(D);
    D.Scopes.endAll(NowNs);
  }
  Ranges.addTo(To, Process);
  report();
}

void TorchReplay::take(DeviceReplay &D, const TorchEvent &E) {
  switch (E.Action) {
  case TorchAction::Alloc:
    allocate(D, E);
    return markAgain(D);
  case TorchAction::FreeRequested:
    requestFree(D, E);
    return markAgain(D);
  case TorchAction::FreeCompleted:
    return completeFree(D, E);
  case TorchAction::SegmentAlloc:
  case TorchAction::SegmentFree:
  case TorchAction::SegmentMap:
  case TorchAction::SegmentUnmap:
    return takeSegment(D, E);
  case TorchAction::Oom:
    return fail(D, E);
  case TorchAction::Snapshot: {
    Mark M;
    M.Kind = MarkKind::User;
    M.Process = Process;
    M.TimeNs = markNs();
    M.Name = To.string("snapshot");
    return To.mark(std::move(M));
  }
  case TorchAction::UserDefined:
    if (!E.Label)
      return;
    return annotate({E.TimeUs, E.Label, D.Index, E.Size != 0}, &D);
  }
}

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

void TorchReplay::takeAnnotations(uint64_t UntilUs) {
  for (; NumAnnotations != In.Annotations.size(); ++NumAnnotations) {
    const TorchAnnotation &A = In.Annotations[NumAnnotations];
    if (A.TimeUs > UntilUs)
      return;
    NowNs = std::max(NowNs, timeNs(A.TimeUs));
    auto On = find_if(
        Devices, [&](const DeviceReplay &D) { return D.Index == A.Device; });
    annotate(A, On == Devices.end() ? nullptr : &*On);
  }
}

void TorchReplay::annotate(const TorchAnnotation &A, DeviceReplay *On) {
  StringRef Name = In.Labels.name(A.Name);
  if (On && A.IsEnd) {
    On->Scopes.end(Name, NowNs);
  } else if (On) {
    On->Scopes.begin(Name, NowNs);
    On->Scopes.allocated(0, On->LiveBytes, On->Reserved);
  }
  Steps.take(A, NowNs);
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

/// Says what the trace cannot tell.
void TorchReplay::report() {
  To.Head.Machine = In.Settings.Facts;
  To.lacks(Lack::Threads);
  bool HasEvents = any_of(In.Devices, [](const auto &D) {
    return !D.second.Trace.Addresses.empty() ||
           !D.second.Trace.SegmentEvents.empty();
  });
  if (!HasEvents)
    To.lacks(Lack::Frees);
  else if (!In.HasTimes)
    To.lacks(Lack::Times);
  if (NumBefore && HasEvents)
    To.lacks(Lack::Allocations);
  if (!In.HasStacks)
    To.lacks(Lack::Stacks);
  if (In.NumBad)
    To.loss(Process, LossKind::BadRecord, In.NumBad);
  if (!In.UnknownAction.empty())
    To.warn("events of the action '" + In.UnknownAction +
            "' are not known, and left out");
  for (const std::string &Key : In.UnknownKeys)
    To.warn("the snapshot's '" + Key + "' is not known, and left out");
  if (NumCorrected)
    To.warn("the snapshot has " + Twine(NumCorrected) +
            " blocks and segments to which its events do not lead; the trace "
            "gets them at its end");
}
