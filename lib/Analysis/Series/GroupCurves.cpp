// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time, by what only events know.

#include "memkit/Analysis/GroupCurves.h"
#include "Model/Replay/ReplayProgress.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

namespace {
/// Reads the sums of groups at equal distances.
class GroupSampler : public ReplayProgress {
public:
  GroupSampler(const TraceReader &R, const GroupCurveSpec &Spec,
               const ProgressCallback &Tell)
      : ReplayProgress(Tell, R), Spec(Spec), Now(Spec.NumGroups) {
    Out.Groups.resize(Spec.NumGroups);
    Out.EveryNs = std::max<uint64_t>(Spec.EndNs / Points, 1);
    Next = Out.EveryNs;
  }
  void watch(const LiveStats &Of) { Stats = &Of; }
  uint64_t nextTimeStop() override {
    return Next > Spec.EndNs ? UINT64_MAX : Next;
  }
  Error timeStop(uint64_t TimeNs, uint64_t NextNs) override {
    sample(TimeNs);
    // Without an event, the sums stay.
    uint64_t Later = std::max(NextNs, TimeNs + 1);
    Next = Later > Spec.EndNs
               ? UINT64_MAX
               : (Later + Out.EveryNs - 1) / Out.EveryNs * Out.EveryNs;
    return Error::success();
  }
  /// Blocks that live at the end of their process count up to the end; of very
  /// many processes, at one end in each column.
  Error processEnds(uint32_t, uint64_t TimeNs) override {
    if (++Ends <= Points || TimeNs >= lastNs() + Out.EveryNs)
      sample(TimeNs);
    return Error::success();
  }
  Error finish(const LiveStats &Of, uint64_t EndNs);

private:
  /// As many as the widest page has columns.
  static constexpr uint64_t Points = 2000;
  uint64_t lastNs() const { return Times.empty() ? 0 : Times.back(); }
  void sample(uint64_t TimeNs);
  void moveToPeak();

  const GroupCurveSpec &Spec;
  const LiveStats *Stats = nullptr;
  std::vector<uint64_t> Now; ///< sums by group
  uint64_t Next = 0;
  std::vector<uint64_t> Times; ///< when the sums were read; never fall
  uint64_t Ends = 0;           ///< of processes so far

public:
  GroupCurves Out;
};
} // namespace

void GroupSampler::sample(uint64_t TimeNs) {
  Times.push_back(TimeNs);
  std::fill(Now.begin(), Now.end(), 0);
  for (uint32_t Row = 1; Row <= Stats->numStackRows(); ++Row)
    if (Spec.Heaps[Stats->heapOf(Row)])
      Now[Stats->stackOf(Row)] += Stats->liveExclusive(Row);
  for (uint32_t Group = 0; Group != Now.size(); ++Group) {
    std::vector<SeriesPoint> &To = Out.Groups[Group];
    uint64_t Before = To.empty() ? 0 : To.back().Value;
    if (Now[Group] == Before)
      continue;
    if (!To.empty() && To.back().TimeNs == TimeNs)
      To.back().Value = Now[Group];
    else
      To.push_back({TimeNs, Now[Group]});
  }
}

/// Moves the first sample behind the peak to the peak. At its own time, what
/// the peak held, and the sample still holds, would seem free between the two.
void GroupSampler::moveToPeak() {
  auto Behind = llvm::upper_bound(Times, Out.PeakNs);
  if (Behind == Times.end())
    return;
  for (std::vector<SeriesPoint> &Points : Out.Groups)
    for (SeriesPoint &P : Points)
      if (P.TimeNs == *Behind)
        P.TimeNs = Out.PeakNs + 1;
}

Error GroupSampler::finish(const LiveStats &Of, uint64_t EndNs) {
  // Blocks that live at the end count up to the end.
  if (Of.spaceLiveBytes(Spec.Space))
    sample(EndNs);
  TotalStats Totals =
      Spec.Heap ? Of.heapStats(Spec.Heap) : Of.spaceStats(Spec.Space);
  Out.PeakNs = Totals.PeakTimeNs;
  moveToPeak();
  Out.AtPeak.resize(Spec.NumGroups);
  auto Take = [&](const Summary &S) {
    for (const StackStatsRows &Rows : S.Stacks)
      for (const StackStats &Row : Rows.Rows)
        if (Spec.Heaps[Row.Heap])
          Out.AtPeak[Row.Key] +=
              Spec.Heap ? Row.HeapPeakBytes : Row.SpacePeakBytes;
    return Error::success();
  };
  return Of.summary(1, EndNs, Take);
}

Expected<GroupCurves> readGroupCurves(TraceReader &R,
                                      const GroupCurveSpec &Spec,
                                      const ProgressCallback &Tell) {
  GroupSampler Sampler(R, Spec, Tell);
  ReplayOptions Options;
  Options.KeyOf = Spec.GroupOf;
  Options.Select = Spec.Select;
  Expected<std::unique_ptr<Replay>> Run =
      Replay::create(R, std::move(Options), &Sampler);
  if (!Run)
    return Run.takeError();
  Sampler.watch((*Run)->stats());
  if (Error E = (*Run)->run())
    return std::move(E);
  if (Error E = Sampler.finish((*Run)->stats(), (*Run)->endNs()))
    return std::move(E);
  return std::move(Sampler.Out);
}

} // namespace memkit
