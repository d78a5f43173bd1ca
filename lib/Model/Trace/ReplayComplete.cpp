// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the stats that a trace lacks.

#include "CategoryPeaks.h"
#include "Model/Replay/IntervalCutter.h"
#include "Model/Replay/ReplayProgress.h"
#include "memkit/Model/Complete.h"
#include "memkit/Trace/PartialRows.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>

using namespace memkit;
using llvm::Error;

llvm::Expected<Summary> memkit::summarize(TraceReader &R, ReplayOptions Options,
                                          const ProgressCallback &OnProgress,
                                          std::optional<uint64_t> *PartialNs) {
  bool IsWhole = !Options.Select;
  ReplayProgress Bar(OnProgress, R);
  auto Run = Replay::create(R, std::move(Options), &Bar);
  if (!Run)
    return Run.takeError();
  if (Error E = (*Run)->run())
    return E;
  Summary S = (*Run)->stats().summary(1, (*Run)->endNs());
  if (!IsWhole)
    return S;
  auto Partials = readPartials(R, (*Run)->limits());
  if (!Partials)
    return Partials.takeError();
  Partials->addTo(S);
  if (PartialNs && Partials->any())
    *PartialNs = Partials->endNs();
  return S;
}

namespace {
/// A snapshot is written after MinSnapshotEvents events or more since the last,
/// when these are at least EventsPerSnapshotBlock for each block of the
/// snapshot.
constexpr uint64_t EventsPerSnapshotBlock = 8, MinSnapshotEvents = 65536;

/// Cuts intervals and snapshots as a recorder would.
class Completer : public IntervalCutter {
public:
  using IntervalCutter::IntervalCutter;

  uint64_t nextEventStop(uint32_t Process) override {
    return NextCheck.try_emplace(Process, MinSnapshotEvents).first->second;
  }
  Error eventStop(uint32_t Process, uint64_t TimeNs) override {
    uint64_t Now = NextCheck[Process], &Last = LastSnapshot[Process];
    NextCheck[Process] = Now + MinSnapshotEvents;
    if (Now - Last < Run->liveBlocks(Process) * EventsPerSnapshotBlock)
      return Error::success();
    Last = Now;
    return writeSnapshot(Process, Now, TimeNs);
  }

private:
  Error writeSnapshot(uint32_t Process, uint64_t Events, uint64_t TimeNs) {
    Snapshot K;
    K.Process = Process;
    K.TimeNs = TimeNs;
    K.Events = Events;
    K.NextAllocationId = Run->nextAllocationId(Process);
    K.Last = false;
    Error Problem = Error::success();
    Run->forEachLive(Process, [&](const LiveBlock &B, uint32_t) {
      if (K.Blocks.size() == MaxSectionRows) {
        if (!Problem)
          Problem = Out.write(K);
        K.Blocks.clear();
        K.Part += 1;
      }
      K.Blocks.push_back(B);
    });
    if (Problem)
      return Problem;
    K.Last = true;
    return Out.write(K);
  }

  std::map<uint32_t, uint64_t> NextCheck, LastSnapshot;
};
} // namespace

/// The tensors at the peaks of heaps, unless the Partial sections have them.
static llvm::Expected<std::vector<CategoryStats>>
tensorsOf(TraceReader &R, const PartialRows &Partials) {
  if (Partials.hasPeakCategories())
    return std::vector<CategoryStats>();
  return categoriesAtPeaks(R);
}

bool memkit::hasIntervalsAlone(const TraceReader &R) {
  auto Has = [&](SectionKind Kind) {
    return llvm::any_of(R.sections(),
                        [&](const SectionInfo &B) { return B.Kind == Kind; });
  };
  return Has(SectionKind::Intervals) && !Has(SectionKind::Events);
}

/// Whether a section of Kind stays when the stats of all events are made.
static bool isKept(SectionKind Kind) {
  return Kind == SectionKind::Dictionary || Kind == SectionKind::Events ||
         Kind == SectionKind::Marks || Kind == SectionKind::BlockCategories ||
         Kind == SectionKind::ScopeTimes || Kind == SectionKind::DeviceSpans;
}

/// Writes the sections that are kept, or all.
static Error copySections(TraceReader &R, TraceWriter &Out, bool All) {
  for (const SectionInfo &B : R.sections()) {
    if (!All && !isKept(B.Kind))
      continue;
    auto Section = R.readAny(B);
    if (!Section)
      return Section.takeError();
    if (Error E = Out.copy(*Section))
      return E;
  }
  return Error::success();
}

Error memkit::completeTrace(TraceReader &R, TraceWriter &Out) {
  bool All = hasIntervalsAlone(R);
  if (Error E = copySections(R, Out, All))
    return E;
  if (All)
    return Error::success();
  Completer C(Out);
  ReplayOptions Options;
  Options.Intervals = true;
  auto Run = Replay::create(R, Options, &C);
  if (!Run)
    return Run.takeError();
  C.start(**Run);
  if (Error E = (*Run)->run())
    return E;
  LiveStats &A = (*Run)->stats();
  if (Error E = C.finish((*Run)->endNs() + 1))
    return E;
  if (Error E = A.lifetimes([&](const Lifetimes &L) { return Out.write(L); }))
    return E;
  auto Partials = readPartials(R, (*Run)->limits());
  if (!Partials)
    return Partials.takeError();
  auto Tensors = tensorsOf(R, *Partials);
  if (!Tensors)
    return Tensors.takeError();
  auto Write = [&](const Summary &Part) { return Out.write(Part); };
  return A.summary(1, (*Run)->endNs(), [&](Summary Part) {
    if (!Part.Complete)
      return Write(Part);
    llvm::append_range(Part.Categories, *Tensors);
    return Partials->writeWith(std::move(Part), Write);
  });
}
