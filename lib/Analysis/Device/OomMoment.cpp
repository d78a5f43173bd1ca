// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What held the memory when memory ran out, and why nothing was left.

#include "memkit/Analysis/OomMoment.h"
#include "Model/Names/TensorHeapName.h"
#include "memkit/Model/LiveBlocks.h"
#include "memkit/Model/TimePoints.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// When the step of the event began; 0: the process had no steps before.
static uint64_t stepBeginNs(const Trace &T, const OomRecord &O) {
  uint64_t BeginNs = 0;
  for (const StepStats &S : T.summary().Steps)
    if (S.Process == O.Process && S.BeginNs <= O.TimeNs)
      BeginNs = std::max(BeginNs, S.BeginNs);
  return BeginNs;
}

/// Sets the holders of M: the live blocks in the memory space of its heap.
static Error takeHolders(const SelectedStats &S, const Places &Where,
                         OomMoment &M) {
  const Trace &T = S.trace();
  uint32_t Space = T.heap(M.Event.What.Heap).Space;
  uint64_t StepNs = stepBeginNs(T, M.Event.What);
  std::vector<OomHolder> ByPlace(Where.size());
  auto Add = [&](uint64_t, std::vector<LivePart> &Parts) {
    for (const LivePart &P : Parts) {
      if (T.heap(P.Heap).Space != Space ||
          T.heap(P.Heap).Flags & HF_OutsideTotals)
        continue;
      OomHolder &H = ByPlace[Where.of(P.Stack)];
      H.Bytes += P.Bytes;
      H.Blocks += 1;
      M.LiveBytes += P.Bytes;
      if (P.AllocatedNs < StepNs && P.Process == M.Event.What.Process &&
          isTensorHeapName(T.heapName(P.Heap)))
        M.OlderTensorBytes += P.Bytes;
    }
    return Error::success();
  };
  if (Error E = forEachLiveMoment(T, S.selection(), {M.Event.What.TimeNs},
                                  "out of memory needs", Add))
    return E;
  for (uint32_t Place = 0; Place != ByPlace.size(); ++Place) {
    ByPlace[Place].Place = Place;
    if (ByPlace[Place].Bytes)
      M.Holders.push_back(ByPlace[Place]);
  }
  stable_sort(M.Holders, [](const OomHolder &A, const OomHolder &B) {
    return A.Bytes > B.Bytes;
  });
  return Error::success();
}

static BitVector allProcesses(const Trace &T) {
  return BitVector(unsigned(T.processes().size() + 1), true);
}

/// Sets the cause of M from the map of its device.
static Error takeCause(const SelectedStats &S, OomMoment &M) {
  const Trace &T = S.trace();
  uint32_t Space = T.heap(M.Event.What.Heap).Space;
  // The map is of the device's last event.
  Expected<std::vector<Mark>> Last = findLastOoms(T, allProcesses(T));
  if (!Last)
    return Last.takeError();
  if ((*Last)[Space].Kind != MarkKind::Oom ||
      (*Last)[Space].TimeNs != M.Event.What.TimeNs)
    return Error::success();
  Expected<std::vector<DeviceMap>> Maps =
      mapDevices(T, S.selection(), MapTimePoint::Oom, Space);
  if (!Maps)
    return Maps.takeError();
  for (const DeviceMap &Map : *Maps)
    if (Map.Device == Space && Map.Oom &&
        Map.Oom->TimeNs == M.Event.What.TimeNs) {
      M.Cause = findCause(Map);
      M.DeviceBytes =
          Map.Used && Map.Used->Total ? Map.Used->Total : Map.TotalBytes;
    }
  return Error::success();
}

/// A trace without the events answers without them.
static Error unlessRequest(Error E) {
  return handleErrors(std::move(E), [](const RequestError &) {});
}

Expected<OomMoment> queryOomMoment(const SelectedStats &S, const Places &Where,
                                   OomReport Event) {
  OomMoment M;
  M.Event = std::move(Event);
  if (S.selection().isOuterView())
    return M;
  if (Error E = unlessRequest(takeHolders(S, Where, M)))
    return std::move(E);
  if (S.trace().heap(M.Event.What.Heap).Space)
    if (Error E = unlessRequest(takeCause(S, M)))
      return std::move(E);
  return M;
}

std::optional<OomReport> findLastOom(const SelectedStats &S) {
  std::optional<OomReport> Last;
  for (OomReport &M : queryOoms(S.trace())) {
    if (!S.selection().hasProcess(M.What.Process))
      continue;
    auto KeyOf = [](const OomReport &Of) {
      return std::pair(Of.What.TimeNs, Of.What.Kind == OomKind::Killed);
    };
    if (!Last || KeyOf(M) >= KeyOf(*Last))
      Last = std::move(M);
  }
  return Last;
}

} // namespace memkit
