// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Markers and counters of a file for the Firefox Profiler.

#include "FirefoxTimeline.h"
#include "FirefoxText.h"
#include "Support/CommandText.h"
#include "Support/Json.h"
#include "memkit/Model/ScopeView.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Markers
//===----------------------------------------------------------------------===//

/// The names of the values of an out-of-memory mark.
static constexpr const char *OomFields[] = {"requested", "live", "reserved"};

void FirefoxMarkers::outOfMemory(uint32_t Name, uint64_t TimeNs,
                                 std::vector<uint64_t> Bytes) {
  Bytes.resize(std::min(Bytes.size(), std::size(OomFields)));
  Rows.push_back({Name, "oom", TimeNs, TimeNs, false, std::move(Bytes)});
}

void FirefoxMarkers::writeData(raw_ostream &OS, const FirefoxMarker &M) {
  OS << "{\"type\":\"" << M.Type << '"';
  for (size_t I = 0; I != M.Bytes.size(); ++I)
    OS << ",\"" << OomFields[I] << "\":" << M.Bytes[I];
  OS << '}';
}

void FirefoxMarkers::write(raw_ostream &OS) const {
  // Other is the category of what is no code.
  const unsigned Category = static_cast<unsigned>(CodeOwner::Other);
  OS << "\"markers\":{";
  putColumn(OS, "name", Rows, [&](const FirefoxMarker &M) { OS << M.Name; });
  OS << ",\n";
  putColumn(OS, "startTime", Rows,
            [&](const FirefoxMarker &M) { putMilliseconds(OS, M.BeginNs); });
  OS << ",\n";
  putColumn(OS, "endTime", Rows, [&](const FirefoxMarker &M) {
    if (M.IsInterval)
      putMilliseconds(OS, M.EndNs);
    else
      OS << "null";
  });
  OS << ",\n";
  putColumn(OS, "phase", Rows,
            [&](const FirefoxMarker &M) { OS << M.IsInterval; });
  OS << ",\n";
  putColumn(OS, "category", Rows,
            [&](const FirefoxMarker &) { OS << Category; });
  OS << ",\n";
  putColumn(OS, "data", Rows,
            [&](const FirefoxMarker &M) { writeData(OS, M); });
  OS << ",\"length\":" << Rows.size() << "}";
}

void FirefoxMarkers::writeSchemas(raw_ostream &OS) {
  OS << "\"markerSchema\":[";
  // Of a process: also above the graphs.
  for (const char *Type : {"step", "process-range", "mark", "alert", "device"})
    OS << "{\"name\":\"" << Type
       << R"(","display":["marker-chart","marker-table","timeline-overview"],)"
       << "\"fields\":[]},\n";
  // Of a thread: they nest.
  for (size_t Kind = 0; Kind != NumScopeKinds; ++Kind)
    OS << "{\"name\":\"" << scopeKindName(static_cast<ScopeKind>(Kind))
       << R"(","display":["marker-chart","marker-table"],"isStackBased":true,)"
       << "\"fields\":[]},\n";
  OS << R"({"name":"oom","display":["marker-chart","marker-table",)"
     << R"("timeline-overview","timeline-memory"],)";
  putColumn(OS, "fields", OomFields, [&](const char *Field) {
    OS << "{\"key\":\"" << Field << "\",\"label\":\"" << Field
       << "\",\"format\":\"bytes\"}";
  });
  OS << "}]";
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

void FirefoxCounter::write(raw_ostream &OS, StringRef Pid,
                           size_t Thread) const {
  OS << "{\"name\":" << jsonText(Name)
     << ",\"category\":\"Memory\",\"description\":\"Bytes\",\"pid\":" << Pid
     << ",\"mainThreadIndex\":"
     << Thread
     // Later versions of the format have these fields, and keep them. Without
     // them each counter would have the label `Memory`.
     << R"(,"display":{"graphType":"line-accumulated","unit":"bytes",)"
     << R"("color":"orange","markerSchemaLocation":"timeline-memory",)"
     << "\"sortWeight\":20,\"label\":" << jsonText(Name)
     << R"(,"tooltipRows":[{"type":"value","source":"accumulated",)"
     << R"("format":{"unit":"bytes"},"label":"bytes at this time"},)"
     << R"({"type":"value","source":"count-range",)"
     << R"("format":{"unit":"bytes"},"label":"range of the graph"}]},)"
     << "\n\"samples\":{\"time\":[";
  putMilliseconds(OS, Points.front().first);
  for (auto [TimeNs, Bytes] : Points) {
    OS << ',';
    putMilliseconds(OS, TimeNs);
  }
  OS << "],\n\"count\":[0";
  uint64_t Before = 0;
  for (auto [TimeNs, Bytes] : Points) {
    OS << ',' << (Bytes < Before ? "-" : "")
       << (Bytes < Before ? Before - Bytes : Bytes - Before);
    Before = Bytes;
  }
  OS << "],\"length\":" << Points.size() + 1 << "}}";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

class TimelineGatherer {
public:
  TimelineGatherer(const SelectedStats &S, FirefoxTables &Tables)
      : S(S), T(S.trace()), Parts(S), Tables(Tables) {}

  Error run(uint64_t MaxScopes);
  FirefoxTimeline finish() { return std::move(Out); }

private:
  struct OpenMarker {
    uint32_t Name = 0;
    uint64_t BeginNs = 0;
  };
  void count(uint32_t Process, StringRef Name, uint64_t TimeNs, uint64_t Bytes);
  void mark(const Mark &M);
  void endStep(uint32_t Process, uint64_t TimeNs);
  void range(const Mark &M);
  void scope(const ScopeOccurrences::ScopeOccurrence &Sp);
  Error liveBytes();
  Error marks();
  Error deviceWork(uint64_t Max);

  const SelectedStats &S;
  const Trace &T;
  TimelineParts Parts;
  FirefoxTables &Tables;
  FirefoxTimeline Out;
  StringMap<size_t> CounterOf; ///< by process and name: index in the process
  std::map<uint32_t, OpenMarker> Steps; ///< by process
  std::map<std::pair<uint32_t, uint64_t>, OpenMarker> Ranges;
};

} // namespace

void TimelineGatherer::count(uint32_t Process, StringRef Name, uint64_t TimeNs,
                             uint64_t Bytes) {
  std::vector<FirefoxCounter> &Of = Out.Counters[Process];
  auto [At, New] =
      CounterOf.try_emplace((Twine(Process) + ":" + Name).str(), Of.size());
  if (New)
    Of.push_back({Name.str(), {}});
  auto &Points = Of[At->second].Points;
  // Marks of a file may be out of order; the profiler needs rising times.
  if (Points.empty() || Points.back().first <= TimeNs)
    Points.push_back({TimeNs, Bytes});
}

void TimelineGatherer::endStep(uint32_t Process, uint64_t TimeNs) {
  auto Open = Steps.find(Process);
  if (Open == Steps.end())
    return;
  Out.Processes[Process].interval(Open->second.Name, "step",
                                  Open->second.BeginNs,
                                  std::max(TimeNs, Open->second.BeginNs));
  Steps.erase(Open);
}

void TimelineGatherer::range(const Mark &M) {
  if (M.Kind == MarkKind::RangeBegin) {
    Ranges[{M.Process, M.Id}] = {Tables.string(T.string(M.Name)), M.TimeNs};
    return;
  }
  auto Open = Ranges.find({M.Process, M.Id});
  if (Open == Ranges.end())
    return;
  Out.Processes[M.Process].interval(Open->second.Name, "process-range",
                                    Open->second.BeginNs,
                                    std::max(M.TimeNs, Open->second.BeginNs));
  Ranges.erase(Open);
}

void TimelineGatherer::mark(const Mark &M) {
  switch (M.Kind) {
  case MarkKind::Step:
    endStep(M.Process, M.TimeNs);
    Steps[M.Process] = {Tables.string("step " + std::to_string(M.Id)),
                        M.TimeNs};
    return;
  case MarkKind::ProcessEnd:
    return endStep(M.Process, M.TimeNs);
  case MarkKind::RangeBegin:
  case MarkKind::RangeEnd:
    return range(M);
  case MarkKind::User:
  case MarkKind::Alert:
    return Out.Processes[M.Process].instant(
        Tables.string(oneLine(T.string(M.Name))),
        M.Kind == MarkKind::User ? "mark" : "alert", M.TimeNs);
  case MarkKind::Oom:
    return Out.Processes[M.Process].outOfMemory(Tables.string("out of memory"),
                                                M.TimeNs, M.Values);
  default:
    if (std::string Name = sampleName(T, M); !Name.empty())
      count(M.Process, Name, M.TimeNs, M.Values[0]);
    return;
  }
}

Error TimelineGatherer::marks() {
  if (Error E = Parts.marks([&](const Mark &M) { mark(M); }))
    return E;
  while (!Steps.empty())
    endStep(Steps.begin()->first, Parts.endNs());
  for (const auto &[Of, Open] : Ranges)
    Out.Processes[Of.first].interval(Open.Name, "process-range", Open.BeginNs,
                                     std::max(Parts.endNs(), Open.BeginNs));
  return Error::success();
}

Error TimelineGatherer::liveBytes() {
  Expected<std::unique_ptr<IntervalSeries>> Series =
      IntervalSeries::create(S, /*NeedsLifetimes=*/false);
  if (!Series)
    return Series.takeError();
  return Parts.liveBytes(**Series, [&](uint32_t Process, uint32_t Heap,
                                       uint64_t TimeNs, uint64_t Bytes) {
    count(Process, T.heapName(Heap), TimeNs, Bytes);
  });
}

void TimelineGatherer::scope(const ScopeOccurrences::ScopeOccurrence &Sp) {
  const ScopeRecord &Sc =
      T.scopes()[T.scopePaths()[Sp.ScopePath - 1].Scope - 1];
  Out.Threads[Sp.Thread].interval(Tables.string(T.string(Sc.Name)),
                                  scopeKindName(Sc.Kind).data(), Sp.BeginNs,
                                  Sp.LastNs);
}

/// Markers of the process: the profiler shows those of a name in one row.
Error TimelineGatherer::deviceWork(uint64_t Max) {
  auto Do = [&](uint32_t Process, const DeviceSpan &W) {
    uint32_t Name = Tables.string(
        oneLine(Parts.workText(W) + " (" + Parts.streamText(W) + ")"));
    Out.Processes[Process].interval(Name, "device", W.BeginNs,
                                    W.BeginNs + W.DurationNs);
  };
  Expected<uint64_t> LeftOut = Parts.deviceWork(Max, Do);
  if (!LeftOut)
    return LeftOut.takeError();
  Out.ScopesLeftOut += *LeftOut;
  return Error::success();
}

Error TimelineGatherer::run(uint64_t MaxScopes) {
  if (Error E = liveBytes())
    return E;
  if (Error E = marks())
    return E;
  Expected<uint64_t> LeftOut = Parts.scopes(
      MaxScopes, [&](const ScopeOccurrences::ScopeOccurrence &Sp, bool Begins,
                     ArrayRef<LayerPeaks::SpacePeak>) {
        if (!Begins)
          scope(Sp);
      });
  if (!LeftOut)
    return LeftOut.takeError();
  Out.ScopesLeftOut = *LeftOut;
  return deviceWork(MaxScopes);
}

Expected<FirefoxTimeline> readFirefoxTimeline(const SelectedStats &S,
                                              FirefoxTables &Tables,
                                              uint64_t MaxScopes) {
  TimelineGatherer G(S, Tables);
  if (Error E = G.run(MaxScopes))
    return std::move(E);
  return G.finish();
}

} // namespace memkit
