// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files for Perfetto.

#include "Perfetto.h"
#include "FlameTree.h"
#include "PerfettoHeaps.h"
#include "TimelineParts.h"
#include <map>

using namespace llvm;

namespace memkit {

namespace {

/// Fills about 60 MB.
constexpr uint64_t MaxScopes = 1'000'000;
/// The maximum for the flame chart.
constexpr size_t MaxNodes = 50'000;
/// Rows of all heap profiles, some 20 bytes each, and frames of all their call
/// stacks, some 4 bytes each.
constexpr size_t MaxDumpRows = 500'000, MaxStackFrames = 3'000'000;

class TimelineWriter {
public:
  /// Stacks: the tree for heap profiles, or null.
  TimelineWriter(raw_ostream &OS, const SelectedStats &S,
                 const ShownTree *Stacks, bool Full)
      : S(S), Stacks(Stacks), Full(Full), T(S.trace()), Parts(S), Out(OS),
        ProcessTracks(T.processes().size() + 1), Steps(ProcessTracks.size()),
        StepOpen(ProcessTracks.size()), Threads(T.threads().size() + 1) {}

  Error run();
  void chart(ShownTree Tree, const NodeRanks &Ranks, const Profile &P);
  uint64_t leftOut() const { return LeftOut; }

private:
  using Track = PerfettoWriter::Track;

  Track process(uint32_t Process);
  Track counter(uint32_t Process, StringRef Name);
  Track thread(uint32_t Id);

  Error counters();
  Error marks();
  void mark(const Mark &M);
  void step(const Mark &M);
  void scope(const ScopeOccurrences::ScopeOccurrence &Sp, bool Begins,
             ArrayRef<LayerPeaks::SpacePeak> Peaks);
  Error scopes();
  Error deviceWork();

  const SelectedStats &S;
  const ShownTree *Stacks;
  bool Full;
  const Trace &T;
  TimelineParts Parts;
  PerfettoWriter Out;
  std::vector<Track> ProcessTracks, Steps; ///< by process; 0: not yet
  std::vector<bool> StepOpen;
  std::vector<Track> Threads; ///< by id; 0: not yet
  StringMap<Track> Counters;  ///< by process and name
  std::map<std::pair<uint32_t, uint64_t>, Track> Ranges; ///< open ones
  uint64_t LeftOut = 0;
};

} // namespace

TimelineWriter::Track TimelineWriter::process(uint32_t Process) {
  Track &Known = ProcessTracks[Process];
  if (!Known)
    Known = Out.process(T.processes()[Process - 1].Pid, T.processName(Process));
  return Known;
}

TimelineWriter::Track TimelineWriter::counter(uint32_t Process,
                                              StringRef Name) {
  Track &Known = Counters[(Twine(Process) + ":" + Name).str()];
  if (!Known)
    Known = Out.counter(process(Process), Name);
  return Known;
}

TimelineWriter::Track TimelineWriter::thread(uint32_t Id) {
  Track &Known = Threads[Id];
  if (!Known) {
    const Thread &Th = T.threads()[Id - 1];
    process(Th.Process);
    Known = Out.thread(T.processes()[Th.Process - 1].Pid, Th.Tid,
                       T.string(Th.Name));
  }
  return Known;
}

Error TimelineWriter::counters() {
  Expected<std::unique_ptr<IntervalSeries>> Series =
      IntervalSeries::create(S, /*NeedsLifetimes=*/false);
  if (!Series)
    return Series.takeError();
  auto Count = [&](uint32_t Process, uint32_t Heap, uint64_t TimeNs,
                   uint64_t Bytes) {
    Out.count(counter(Process, T.heapName(Heap)), TimeNs, Bytes);
  };
  if (!Stacks)
    return Parts.liveBytes(**Series, Count);
  HeapPaths Paths(*Stacks, S, Full ? 0 : MaxStackFrames);
  HeapDumps Dumps(S, **Series, Paths.byStack(), Full ? SIZE_MAX : MaxDumpRows);
  auto Take = [&](size_t Process, size_t Interval,
                  ArrayRef<IntervalChange> Rows) {
    Dumps.take(Process, Interval, Rows);
    return Error::success();
  };
  if (Error E = Parts.liveBytes(**Series, Count, Take))
    return E;
  PerfettoHeaps(Out, T, Paths).write(Dumps.finish());
  return Error::success();
}

void TimelineWriter::step(const Mark &M) {
  Track &On = Steps[M.Process];
  if (!On)
    On = Out.track(process(M.Process), "steps");
  if (StepOpen[M.Process])
    Out.end(On, M.TimeNs);
  StepOpen[M.Process] = M.Kind == MarkKind::Step;
  if (StepOpen[M.Process])
    Out.begin(On, M.TimeNs, "step " + std::to_string(M.Id), "step");
}

void TimelineWriter::mark(const Mark &M) {
  StringRef Name = T.string(M.Name);
  switch (M.Kind) {
  case MarkKind::Step:
    return step(M);
  case MarkKind::ProcessEnd:
    if (StepOpen[M.Process])
      step(M);
    return;
  case MarkKind::User:
    return Out.instant(process(M.Process), M.TimeNs, Name, "mark");
  case MarkKind::RangeBegin: {
    // Ranges of a process need not nest.
    Track On = Out.track(process(M.Process), "ranges");
    Ranges[{M.Process, M.Id}] = On;
    return Out.begin(On, M.TimeNs, Name, "range");
  }
  case MarkKind::RangeEnd:
    if (auto Open = Ranges.find({M.Process, M.Id}); Open != Ranges.end()) {
      Out.end(Open->second, M.TimeNs);
      Ranges.erase(Open);
    }
    return;
  case MarkKind::Oom:
    return Out.instant(process(M.Process), M.TimeNs, "out of memory", "oom");
  default:
    if (std::string Sample = sampleName(T, M); !Sample.empty())
      Out.count(counter(M.Process, Sample), M.TimeNs, M.Values[0]);
    return;
  }
}

Error TimelineWriter::marks() {
  if (Error E = Parts.marks([&](const Mark &M) { mark(M); }))
    return E;
  for (uint32_t Process = 1; Process < StepOpen.size(); ++Process)
    if (StepOpen[Process])
      Out.end(Steps[Process], Parts.endNs());
  for (const auto &[Of, On] : Ranges)
    Out.end(On, Parts.endNs());
  return Error::success();
}

void TimelineWriter::scope(const ScopeOccurrences::ScopeOccurrence &Sp,
                           bool Begins, ArrayRef<LayerPeaks::SpacePeak> Peaks) {
  if (!Begins) {
    std::vector<PerfettoWriter::Annotation> Values;
    for (const LayerPeaks::SpacePeak &P : Peaks)
      Values.push_back({"peak " + T.spaceName(P.Space).str(), P.Bytes});
    return Out.end(thread(Sp.Thread), Sp.LastNs, Values);
  }
  const ScopeRecord &Sc =
      T.scopes()[T.scopePaths()[Sp.ScopePath - 1].Scope - 1];
  Out.begin(thread(Sp.Thread), Sp.BeginNs, T.string(Sc.Name),
            scopeKindName(Sc.Kind));
}

Error TimelineWriter::scopes() {
  Expected<uint64_t> Missing = Parts.scopes(
      MaxScopes,
      [&](const ScopeOccurrences::ScopeOccurrence &Sp, bool Begins,
          ArrayRef<LayerPeaks::SpacePeak> Peaks) { scope(Sp, Begins, Peaks); });
  if (!Missing)
    return Missing.takeError();
  LeftOut += *Missing;
  return Error::success();
}

/// A track for each stream of a process.
Error TimelineWriter::deviceWork() {
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, Track> Streams;
  auto Do = [&](uint32_t Process, const DeviceSpan &W) {
    Track &On = Streams[{Process, W.Device, W.Stream}];
    if (!On)
      On = Out.track(process(Process), Parts.streamText(W));
    Out.begin(On, W.BeginNs, Parts.workText(W), "device");
    Out.end(On, W.BeginNs + W.DurationNs);
  };
  Expected<uint64_t> Missing = Parts.deviceWork(MaxScopes, Do);
  if (!Missing)
    return Missing.takeError();
  LeftOut += *Missing;
  return Error::success();
}

void TimelineWriter::chart(ShownTree Tree, const NodeRanks &Ranks,
                           const Profile &P) {
  if (!P.Total)
    return;
  FlameNames Names(Tree, FlameNames::Distinct::ByPlace);
  std::vector<FlameNode> Nodes =
      FlameBuilder(Tree, Ranks, Names).build(P, MaxNodes);
  // No process has this number.
  Track On = Out.track(Out.process(INT32_MAX, P.Name), "bytes as time");
  double Scale = static_cast<double>(std::max<uint64_t>(T.endNs(), 1)) /
                 static_cast<double>(P.Total);
  uint64_t Where = 0;
  std::vector<uint64_t> Ends;
  auto TimeOf = [&](uint64_t At) {
    return static_cast<uint64_t>(static_cast<double>(At) * Scale);
  };
  auto CloseTo = [&](size_t Depth) {
    for (; Ends.size() > Depth; Ends.pop_back())
      Out.end(On, TimeOf(Where = Ends.back()));
  };
  for (const FlameNode &N : Nodes) {
    CloseTo(N.Depth);
    Out.begin(On, TimeOf(Where), Names.names()[N.Name].Function, "flame",
              N.Total);
    Ends.push_back(Where + N.Total);
  }
  CloseTo(0);
}

Error TimelineWriter::run() {
  Out.clocks(T.header().Start.RealtimeNs);
  if (Error E = counters())
    return E;
  if (Error E = marks())
    return E;
  if (Error E = deviceWork())
    return E;
  return scopes();
}

Expected<PerfettoResult> writePerfetto(raw_ostream &OS, const SelectedStats &S,
                                       ShownTree T, const NodeRanks &Ranks,
                                       const Profile &Chart, bool HasStacks,
                                       bool Full) {
  TimelineWriter W(OS, S, HasStacks ? &T : nullptr, Full);
  if (Error E = W.run())
    return E;
  W.chart(T, Ranks, Chart);
  return PerfettoResult{W.leftOut()};
}

} // namespace memkit
