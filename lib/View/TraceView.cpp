// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions and parameters.

#include "TraceView.h"
#include "HttpServer.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <sys/stat.h>

using namespace llvm;

namespace memkit {

std::string frameLine(const ShownFrame &F) {
  if (!F.Line || F.File.empty())
    return F.Function.str();
  return (baseName(F.File) + ":" + Twine(F.Line) + " " + F.Function).str();
}

TraceView::~TraceView() = default;

/// The state of a regular file; else nothing that differs.
static FileState stateOf(const std::string &Path) {
  struct stat Now;
  if (stat(Path.c_str(), &Now) != 0 || !S_ISREG(Now.st_mode))
    return {};
  constexpr uint64_t NsOfSecond = 1'000'000'000;
  return {Now.st_dev, Now.st_ino, uint64_t(Now.st_size),
          uint64_t(Now.st_mtim.tv_sec) * NsOfSecond +
              uint64_t(Now.st_mtim.tv_nsec)};
}

bool TraceView::isLive() const { return StringRef(Path).starts_with("live:"); }

/// A program that runs has always gone on.
bool TraceView::hasChanged() const {
  if (isLive())
    return true;
  FileState Now = stateOf(Path);
  return Now != FileState() && Now != Opened;
}

Expected<std::unique_ptr<TraceView>> TraceView::open(StringRef Path,
                                                     SelectionSpec Spec,
                                                     ProgressCallback Progress,
                                                     CommandWriter Commands) {
  std::unique_ptr<TraceView> V(new TraceView);
  V->Path = Path.str();
  // Before the file is read: a later change may not be in the view.
  V->Opened = stateOf(V->Path);
  V->CommandOf = std::move(Commands);
  V->Spec = Spec;
  SelectionSpec Unfolded = Spec;
  Unfolded.AllFrames = true;
  if (Error E = V->In.open(Path, Unfolded, std::move(Progress)))
    return std::move(E);
  V->ShowsAll = Spec.AllFrames;
  V->Run = queryRun(V->trace());
  V->Parts.emplace_back();
  if (Error E = TracePart::create(*V->In.S, {}).moveInto(V->Parts.back()))
    return std::move(E);
  return V;
}

Error TraceView::readOverview() {
  if (Over)
    return Error::success();
  OverviewOptions Options;
  Options.Stacks = false;
  // Frames are folded beside the search for growth.
  if (!ShowsAll && !IsFolded)
    Options.Fold = [this] { foldFrames(); };
  Expected<Overview> Made = queryOverview(*In.S, Options);
  if (!Made)
    return Made.takeError();
  Over.emplace(std::move(*Made));
  Held.emplace(trace(), *Over->Where, std::move(Over->Named));
  whole().takeIntervals(std::move(Over->Intervals));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

Expected<ViewRange> TraceView::range(const Question &Q) const {
  Expected<uint64_t> From = Q.number("from", 0, endNs());
  if (!From)
    return From.takeError();
  Expected<uint64_t> To = Q.number("to", endNs(), UINT64_MAX);
  if (!To)
    return To.takeError();
  ViewRange R{*From, std::min(*To, endNs())};
  if (R.EndNs <= R.BeginNs && endNs())
    return makeRequestError("the range ends at " + formatTime(R.EndNs) +
                            ", which is not after its start");
  return R;
}

/// The groupings of flame graphs.
static constexpr GroupBy GraphGroups[] = {
    GroupBy::Line, GroupBy::Stack, GroupBy::Function, GroupBy::Library,
    GroupBy::Heap, GroupBy::Layer, GroupBy::Scope,    GroupBy::Category};

Expected<Graph *> TraceView::graph(const Question &Q) {
  if (Error E = readOverview())
    return std::move(E);
  GraphSpec Spec;
  std::string Name = Q.text("by").str();
  if (Name.empty())
    Name = Over->Where->hasLines() ? "line" : "stack";
  std::optional<GroupBy> By = groupOf(Name, GraphGroups);
  if (!By)
    return makeRequestError("by=" + Name + ": not a grouping");
  Spec.By = *By;
  Spec.Invert = Q.isOn("invert");
  auto At = find_if(Graphs, [&](const std::unique_ptr<Graph> &G) {
    return G->spec() == Spec;
  });
  if (At != Graphs.end())
    return At->get();
  Expected<std::unique_ptr<Graph>> Made =
      Graph::create(*In.S, *Over->Where, Spec);
  if (!Made)
    return Made.takeError();
  if (Graphs.size() >= MaxGraphs)
    Graphs.erase(Graphs.begin());
  Graphs.push_back(std::move(*Made));
  return Graphs.back().get();
}

Expected<TracePart *> TraceView::part(const Question &Q) {
  Expected<uint64_t> Heap = Q.number("heap", 0, trace().heaps().size());
  if (!Heap)
    return Heap.takeError();
  Expected<uint64_t> Process =
      Q.number("process", 0, trace().processes().size());
  if (!Process)
    return Process.takeError();
  PartFilter Of{uint32_t(*Heap), uint32_t(*Process)};
  for (const std::unique_ptr<TracePart> &P : Parts)
    if (P->filter() == Of)
      return P.get();
  Expected<std::unique_ptr<TracePart>> Made = TracePart::create(*In.S, Of);
  if (!Made)
    return Made.takeError();
  Parts.resize(1);
  Parts.push_back(std::move(*Made));
  return Parts.back().get();
}

PeakTotals TraceView::peakOf(const TracePart &P, uint32_t Space) const {
  for (const HeapReport &H : Run.Heaps)
    if (H.Id == P.filter().Heap)
      return {H.Stats.PeakBytes, H.Stats.PeakTimeNs};
  for (const SpaceReport &S : Run.Spaces)
    if (S.Id == Space)
      return {S.Stats.PeakBytes, S.Stats.PeakTimeNs};
  return {};
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

Expected<const JobResult *> TraceView::result(const std::string &Name,
                                              Job::Work Do, unsigned WaitMs) {
  if (RefusesWork)
    return makeRequestError("the answer needs long work");
  // More work at once takes memory, and makes each slower.
  constexpr size_t MaxRunning = 2, MaxKept = 8;
  auto At = find_if(Jobs, [&](const auto &J) { return J.first == Name; });
  if (At == Jobs.end()) {
    auto IsRunning = [](const auto &J) { return !J.second->isDone(); };
    if (!WaitsForWork && size_t(count_if(Jobs, IsRunning)) >= MaxRunning) {
      const Job &Before = *find_if(Jobs, IsRunning)->second;
      return wait(Before.share(), Before.what());
    }
    // The edges of a range take up to 40 MB, and other work its own.
    erase_if(Jobs, [&](const auto &J) {
      return StringRef(J.first).starts_with(EdgesPrefix) && !IsRunning(J);
    });
    if (Jobs.size() >= MaxKept)
      Jobs.erase(find_if_not(Jobs, IsRunning));
    Jobs.emplace_back(Name, std::make_unique<Job>(std::move(Do)));
    At = Jobs.end() - 1;
  }
  Job &Of = *At->second;
  if (WaitsForWork)
    Of.wait();
  else
    Of.waitFor(WaitMs);
  return Of.isDone() ? Of.result() : wait(Of.share(), Of.what());
}

const JobResult *TraceView::wait(double Share, const std::string &What) {
  Waits = true;
  json::Object Text{{"progress", Share}, {"what", What}};
  Progress = formatv("{0}", json::Value(std::move(Text))).str();
  return nullptr;
}

bool TraceView::isWorking() const {
  return any_of(Jobs, [](const auto &J) { return !J.second->isDone(); });
}

/// Folds the frames of the trace, unless all are shown.
void TraceView::foldFrames() {
  if (ShowsAll == !IsFolded)
    return;
  In.T->applyRules(Spec.Names, !ShowsAll);
  IsFolded = !ShowsAll;
}

/// Folds frames, or shows all. What depends on shown frames is made again.
void TraceView::showFrames(bool All) {
  if (All == ShowsAll)
    return;
  ShowsAll = All;
  Graphs.clear();
  Calls.reset();
  Drawn.reset();
  GrowthCurves.reset();
  Grouping.reset();
  Held.reset();
  Over.reset();
  // Folding waits for the overview.
  if (All)
    foldFrames();
}

Expected<std::string> TraceView::answer(const Question &Q) {
  Waits = false;
  // Other answers have no frames, or few: they are as the last profile was.
  if (Q.name() == "profile" || Q.name() == "table")
    showFrames(Q.isOn("all") || Spec.AllFrames);
  if (Q.name() == "start")
    return start();
  if (Q.name() == "curves")
    return curves(Q);
  if (Q.name() == "profile")
    return profile(Q);
  if (Q.name() == "table")
    return table(Q);
  if (Q.name() == "layers")
    return layers(Q);
  if (Q.name() == "source")
    return source(Q);
  if (Q.name() == "operators")
    return operators();
  if (Q.name() == "programs")
    return programs();
  if (Q.name() == "map")
    return map(Q);
  if (Q.name() == "growth")
    return growth();
  return makeRequestError("there is no question " + Q.name());
}

} // namespace memkit
