// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stats of a trace.

#include "CategoryPeaks.h"
#include "IntervalSums.h"
#include "Model/Replay/IntervalCutter.h"
#include "Model/Replay/LastSummary.h"
#include "Model/Replay/ReplayProgress.h"
#include "memkit/Model/Complete.h"
#include "memkit/Model/Trace.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/PartialRows.h"

using namespace llvm;

namespace memkit {

void Trace::setSummary(LastSummary S) {
  HasSummary = S.IsThere;
  Totals = std::move(S.Totals);
  StackRows = std::move(S.StackRows);
  ScopeRows = std::move(S.ScopeRows);
}

/// A warning about stats that end before the others.
static std::string partialText(const std::optional<uint64_t> &PartialNs) {
  if (!PartialNs)
    return "";
  return "; layers, scopes, categories and out-of-memory events are known up "
         "to " +
         formatTime(*PartialNs);
}

namespace {
/// Cuts intervals and reports progress.
class ObservedCutter : public IntervalCutter {
public:
  ObservedCutter(TraceWriter &Out, ReplayProgress &Bar)
      : IntervalCutter(Out), Bar(Bar) {}
  uint64_t nextEventStop(uint32_t Process) override {
    return Bar.nextEventStop(Process);
  }
  Error eventStop(uint32_t Process, uint64_t TimeNs) override {
    return Bar.eventStop(Process, TimeNs);
  }

private:
  ReplayProgress &Bar;
};
} // namespace

/// Replays all events, and cuts intervals.
Expected<std::unique_ptr<Replay>> Trace::replayIntervals(ReplayProgress &Bar) {
  StringSink Out(MadeIntervals);
  Expected<std::unique_ptr<TraceWriter>> Writer =
      TraceWriter::create(Out, header());
  if (!Writer)
    return Writer.takeError();
  ObservedCutter Cutter(**Writer, Bar);
  ReplayOptions Options;
  Options.Intervals = true;
  Expected<std::unique_ptr<Replay>> R =
      Replay::create(*Reader, Options, &Cutter);
  if (!R)
    return R.takeError();
  Cutter.start(**R);
  if (Error E = (*R)->run())
    return std::move(E);
  if (Error E = Cutter.finish((*R)->endNs() + 1))
    return std::move(E);
  if (Error E = (*R)->stats().lifetimes(
          [&](const Lifetimes &L) { return (*Writer)->write(L); }))
    return std::move(E);
  if (Error E = (*Writer)->finish())
    return std::move(E);
  return std::move(*R);
}

/// Replays all events.
Expected<std::unique_ptr<Replay>> Trace::replayAll(ReplayProgress &Bar) {
  Expected<std::unique_ptr<Replay>> R = Replay::create(*Reader, {}, &Bar);
  if (!R)
    return R.takeError();
  if (Error E = (*R)->run())
    return std::move(E);
  return R;
}

static std::vector<ProcessStats> writtenProcesses(const PartialRows &Of) {
  Summary S;
  Of.addTo(S);
  return std::move(S.Processes);
}

/// Makes the stats of a trace without a summary.
Error Trace::replaySummary(bool WithIntervals) {
  bool OfIntervals = hasIntervalsAlone(*Reader);
  WithIntervals &= !OfIntervals;
  ReplayProgress Bar(OnProgress, *Reader);
  Expected<std::unique_ptr<Replay>> R =
      WithIntervals ? replayIntervals(Bar) : replayAll(Bar);
  if (!R)
    return R.takeError();
  Expected<PartialRows> Partials = readPartials(*Reader, Limits);
  if (!Partials)
    return Partials.takeError();
  LastSummary Made;
  auto Take = [&](Summary Part) {
    Made.add(Part);
    return Error::success();
  };
  if (Error E = (*R)->stats().summary(1, (*R)->endNs(), Take))
    return E;
  uint64_t EndNs = (*R)->endNs();
  if (OfIntervals)
    if (Error E = addIntervalSums(*this, writtenProcesses(*Partials), Made)
                      .moveInto(EndNs))
      return E;
  Partials->addTo(Made.Totals);
  if (Partials->any())
    PartialNs = Partials->endNs();
  if (!Partials->hasPeakCategories()) {
    Expected<std::vector<CategoryStats>> Tensors = categoriesAtPeaks(*Reader);
    if (!Tensors)
      return Tensors.takeError();
    append_range(Made.Totals.Categories, *Tensors);
  }
  setSummary(std::move(Made));
  Has |= TP_Rows;
  Replayed = true;
  uint64_t LeftOut = eventsLeftOut();
  Warnings.push_back((Name +
                      (OfIntervals ? ": without events the stats are those at "
                                     "the ends of intervals, up to "
                                   : ": the stats are those of the events, up "
                                     "to ") +
                      formatTime(EndNs) +
                      (LeftOut ? ", of which " + Twine(LeftOut) +
                                     " and more were left out on request"
                               : Twine("")) +
                      partialText(PartialNs))
                         .str());
  return Error::success();
}

void Trace::prepareStats() {
  HeapStatsOf.assign(heaps().size(), HeapStats());
  for (size_t I = 0; I != HeapStatsOf.size(); ++I)
    HeapStatsOf[I].Id = I + 1;
  SpaceStatsOf.assign(devices().size() + 1, TotalStats());
  for (size_t I = 0; I != SpaceStatsOf.size(); ++I)
    SpaceStatsOf[I].Id = I;
  ProcessStatsOf.assign(processes().size() + 1, 0);
  for (const ProcessStats &I : Totals.Processes) {
    ProcessStatsOf[I.Process] = &I - Totals.Processes.data() + 1;
    if (I.Role)
      setRole(I.Process, I.Role);
  }
  for (const HeapStats &H : Totals.Heaps)
    HeapStatsOf[H.Id - 1] = H;
  Sampled.clear();
  for (const HeapStats &H : HeapStatsOf)
    Sampled.emplace_back(heap(H.Id).estimateBytes(), H.Sizes);
  for (const TotalStats &D : Totals.Spaces)
    SpaceStatsOf[D.Id] = D;
  Replaced.assign(processes().size() + 1, false);
  for (const ProcessRecord &I : processes())
    if (I.Origin == ProcessOrigin::Exec)
      Replaced[I.Parent] = true;
}

const ProcessStats *Trace::processStats(uint32_t Process) const {
  uint32_t Place = ProcessStatsOf[Process];
  return Place ? &Totals.Processes[Place - 1] : nullptr;
}

std::vector<uint64_t> Trace::losses() const {
  std::vector<uint64_t> Counts(NumLossCounts);
  for (const Loss &L : Totals.Losses)
    Counts[lossIndex(L.Kind)] += L.Count;
  return Counts;
}

uint64_t Trace::eventsLeftOut() const {
  return losses()[static_cast<size_t>(LossKind::Events)];
}

uint64_t Trace::lostEvents() const {
  std::vector<uint64_t> Counts = losses();
  uint64_t Sum = 0;
  for (size_t K = 0; K != Counts.size(); ++K)
    if (losesEvents(lossKindAt(K)))
      Sum += Counts[K];
  return Sum;
}

} // namespace memkit
