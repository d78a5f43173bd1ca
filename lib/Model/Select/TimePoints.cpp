// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TimePoints: positions in the order of a trace's events.

#include "memkit/Model/TimePoints.h"
#include "Model/Names/Globs.h"
#include "Support/Failure.h"
#include "memkit/Model/Replay.h"
#include "memkit/Model/Trace.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

const TimePoint *TimeWindow::last() const {
  const std::optional<TimePoint> &M = At ? At : Until;
  return M && !M->IsEnd ? &*M : nullptr;
}

bool TimeWindow::hasAllocationAt(uint64_t AllocatedNs) const {
  // A time point may lie within a tick of the clock (100 ns). Allocations of
  // this tick count as before the time point. The replay ends at Until, so for
  // Until this is exact; only Since is rounded.
  if (Since && AllocatedNs < Since->TimeNs + (Since->Events != 0))
    return false;
  return !Until || Until->IsEnd ||
         AllocatedNs < Until->TimeNs + (Until->Events != 0);
}

Error noSteps(const Trace &T) {
  return make_error<RequestError>(RequestError::RequestErrorKind::NoSteps,
                                  RequestPart(),
                                  T.name() + ": no steps were recorded");
}

static Error noStep(const Trace &T, uint64_t Wanted,
                    const BitVector &Processes) {
  std::string There;
  for (uint32_t Process : Processes.set_bits()) {
    uint64_t Low = UINT64_MAX, High = 0;
    for (const StepStats &S : T.summary().Steps)
      if (S.Process == Process) {
        Low = std::min(Low, S.Step);
        High = std::max(High, S.Step);
      }
    if (Low <= High)
      There += ((There.empty() ? "" : ", ") + Twine(Low) + " to " +
                Twine(High) + " (" + Twine(T.processes()[Process - 1].Pid) +
                " " + T.processName(Process) + ")")
                   .str();
  }
  if (There.empty())
    return noSteps(T);
  return makeError("no step " + Twine(Wanted) + "; steps: " + There);
}

static Expected<TimePoint> findStep(const Trace &T, uint64_t Wanted,
                                    const BitVector &Processes) {
  SmallVector<const StepStats *, 4> Found;
  for (const StepStats &S : T.summary().Steps)
    if (S.Step == Wanted && S.Process < Processes.size() &&
        Processes[S.Process])
      Found.push_back(&S);
  if (Found.empty())
    return noStep(T, Wanted, Processes);
  if (Found.size() > 1) {
    std::string Who;
    for (const StepStats *S : Found)
      Who += ((Who.empty() ? "" : ", ") +
              Twine(T.processes()[S->Process - 1].Pid) + " (" +
              T.processName(S->Process) + ")")
                 .str();
    return makeError("several processes have a step " + Twine(Wanted) +
                     "; choose one: " + Who);
  }
  TimePoint M;
  M.TimeNs = Found[0]->BeginNs;
  return M;
}

/// Calls Do for the marks of Processes and the marks of no process, in file
/// order.
static Error forEachMarkOf(const Trace &T, const BitVector &Processes,
                           function_ref<void(const Mark &)> Do) {
  if (Error E = T.requireReader("a mark needs"))
    return E;
  return T.forEachMark([&](const Mark &M) {
    if (!M.Process || (M.Process < Processes.size() && Processes[M.Process]))
      Do(M);
  });
}

static Expected<TimePoint> findMark(const Trace &T, const std::string &Wanted,
                                    const BitVector &Processes) {
  std::optional<TimePoint> Found;
  std::vector<std::string> There;
  Error E = forEachMarkOf(T, Processes, [&](const Mark &M) {
    if (M.Kind != MarkKind::User)
      return;
    There.push_back(T.string(M.Name).str());
    if (There.back() == Wanted && (!Found || M.TimeNs < Found->TimeNs))
      (Found = TimePoint())->TimeNs = M.TimeNs;
  });
  if (E)
    return std::move(E);
  if (Found)
    return *Found;
  return nothingMatches("mark", Wanted, There);
}

Expected<std::vector<Mark>> findLastOoms(const Trace &T,
                                         const BitVector &Processes) {
  std::vector<Mark> Last(T.devices().size() + 1);
  Error E = forEachMarkOf(T, Processes, [&](const Mark &M) {
    if (M.Kind != MarkKind::Oom || !M.Heap)
      return;
    Mark &Of = Last[T.heap(M.Heap).Space];
    if (Of.Kind != MarkKind::Oom || Of.TimeNs <= M.TimeNs)
      Of = M;
  });
  if (E)
    return std::move(E);
  return Last;
}

static Expected<TimePoint> findOom(const Trace &T, const BitVector &Processes,
                                   const BitVector *Heaps) {
  Expected<std::vector<Mark>> Last = findLastOoms(T, Processes);
  if (!Last)
    return Last.takeError();
  BitVector Spaces(Last->size(), !Heaps);
  if (Heaps)
    for (uint32_t Heap : Heaps->set_bits())
      Spaces.set(T.heap(Heap).Space);
  std::optional<TimePoint> Found;
  for (uint32_t Space : Spaces.set_bits())
    if (const Mark &M = (*Last)[Space];
        M.Kind == MarkKind::Oom && (!Found || Found->TimeNs < M.TimeNs))
      (Found = TimePoint())->TimeNs = M.TimeNs;
  if (!Found)
    return makeError(T.name() + ": no out-of-memory event was recorded" +
                     (Heaps ? " in the spaces of these heaps" : ""));
  return *Found;
}

/// The stats of the heap with the highest peak, or null.
static const TotalStats *highest(const Trace &T, const BitVector &Heaps) {
  const TotalStats *Max = nullptr;
  for (uint32_t Heap : Heaps.set_bits())
    if (const TotalStats &H = T.heapStats(Heap);
        !Max || H.PeakBytes > Max->PeakBytes)
      Max = &H;
  return Max;
}

/// Finds the time point of a peak. Many events share a tick of the clock, so
/// the events around the peak are replayed.
static Expected<TimePoint>
findPeak(const Trace &T, const TotalStats *Peak,
         function_ref<uint64_t(const LiveStats &)> LiveBytes) {
  TimePoint M;
  if (!Peak || !Peak->PeakBytes)
    return M; // no block ever lived
  if (Error E = T.requireReader("the time point of a peak needs"))
    return std::move(E);
  M.TimeNs = Peak->PeakTimeNs;
  Expected<std::unique_ptr<Replay>> R = Replay::create(T.reader());
  if (!R)
    return R.takeError();
  if (Error E = (*R)->startNear(M.TimeNs))
    return E;
  bool Reached = false;
  auto IsPeak = [&] {
    ++M.Events;
    Reached = LiveBytes((*R)->stats()) >= Peak->PeakBytes;
    return Reached;
  };
  if (Error E = (*R)->runUntil(M.TimeNs, IsPeak))
    return E;
  if (!Reached)
    M = {M.TimeNs + 1, 0, false, ""}; // the trace is inconsistent
  return M;
}

static Expected<TimePoint> findHeapPeak(const Trace &T,
                                        const BitVector &Heaps) {
  const TotalStats *Peak = highest(T, Heaps);
  return findPeak(T, Peak, [Peak](const LiveStats &A) {
    return A.heapLiveBytes(Peak->Id);
  });
}

Expected<TimePoint> findSpacePeak(const Trace &T, uint32_t Space) {
  return findPeak(T, &T.spaceStats(Space), [Space](const LiveStats &A) {
    return A.spaceLiveBytes(Space);
  });
}

uint32_t peakSpace(const Trace &T) {
  uint64_t Max = T.hostStats().PeakBytes;
  uint32_t Found = 0;
  if (Max)
    return 0;
  for (const TotalStats &Of : T.summary().Spaces)
    if (Of.PeakBytes > Max) {
      Max = Of.PeakBytes;
      Found = Of.Id;
    }
  return Found;
}

static Expected<TimePoint> find(const Trace &T, const TimePointSpec &P,
                                const BitVector &Processes,
                                const BitVector *Heaps) {
  TimePoint M;
  switch (P.K) {
  case TimePointSpec::TimePointKind::Time:
    M.TimeNs = P.Number;
    return M;
  case TimePointSpec::TimePointKind::Step:
    return findStep(T, P.Number, Processes);
  case TimePointSpec::TimePointKind::Mark:
    return findMark(T, P.Name, Processes);
  case TimePointSpec::TimePointKind::Peak:
    return Heaps ? findHeapPeak(T, *Heaps) : findSpacePeak(T, peakSpace(T));
  case TimePointSpec::TimePointKind::Oom:
    return findOom(T, Processes, Heaps);
  case TimePointSpec::TimePointKind::End:
    M.IsEnd = true;
    M.TimeNs = UINT64_MAX - 1;
    return M;
  }
  llvm_unreachable("all kinds are handled");
}

Expected<TimePoint> findTimePoint(const Trace &T, const TimePointSpec &P,
                                  const BitVector &Processes,
                                  const BitVector *Heaps) {
  Expected<TimePoint> M = find(T, P, Processes, Heaps);
  if (M)
    M->Text = P.Text;
  return M;
}

Error requireEvents(const Trace &T, StringRef Needs, const TimePoint *Near) {
  if (Error E = T.requireReader(Needs))
    return E;
  // Each part of a summary has the number of all events.
  uint64_t Events = T.summary().Events;
  uint64_t Held = 0, BeginNs = UINT64_MAX, EndNs = 0;
  for (const SectionInfo &B : T.reader().sections())
    if (B.Kind == SectionKind::Events) {
      Held += B.Events;
      BeginNs = std::min(BeginNs, B.BeginNs);
      EndNs = std::max(EndNs, B.EndNs);
    }
  if (Held >= Events ||
      (Near && BeginNs <= Near->TimeNs && Near->TimeNs <= EndNs))
    return Error::success();
  std::string From =
      Held ? ", from " + formatTime(BeginNs) + " to " + formatTime(EndNs) : "";
  return makeError(T.name() + ": " + Needs +
                   " all events, and the trace holds " + Twine(Held) + " of " +
                   Twine(Events) + From);
}

Error runTo(Replay &R, const TimePoint *M) {
  if (!M || M->IsEnd)
    return R.run();
  if (!M->Events)
    return M->TimeNs ? R.run(M->TimeNs - 1) : Error::success();
  return R.runUntil(M->TimeNs,
                    [Seen = uint64_t(0), Events = M->Events]() mutable {
                      return ++Seen == Events;
                    });
}

} // namespace memkit
