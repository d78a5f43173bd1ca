// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many traces as one trace.

#include "Merge.h"
#include "DeviceMarks.h"
#include "NameMerger.h"
#include "SectionMerger.h"
#include "SummaryMerger.h"
#include "Support/Failure.h"
#include "Support/RunBoth.h"
#include "Trace/SummaryLists.h"
#include "memkit/Model/Complete.h"
#include "memkit/Model/Imported.h"
#include "memkit/Model/Merged.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <optional>
#include <unistd.h>

using namespace llvm;

namespace memkit {

namespace {
/// The headers of the traces that can be read.
struct MergeInputs {
  std::vector<std::string> Paths;
  std::vector<Header> Headers;
  std::vector<uint64_t> Starts; ///< realtime, as startsOf() says
  std::vector<std::string> Unread;
  size_t First = 0; ///< the trace that started first
};
} // namespace

/// When each trace started. The realtime of a machine may have been set while
/// the job ran, so the traces of one boot have the realtime of the boot's first
/// trace, and their distance by the monotonic clock. Starts are multiples of
/// Unit: each is rounded, so that merging in steps shifts as merging at once
/// does.
static std::vector<uint64_t> startsOf(ArrayRef<Header> All, uint64_t Unit) {
  auto Rounded = [&](uint64_t Ns) { return Ns - Ns % Unit; };
  std::map<StringRef, const ClockTriple *> Firsts; // by boot
  for (const Header &H : All)
    if (!H.BootId.empty() && H.Start.MonotonicNs) {
      const ClockTriple *&First = Firsts[H.BootId];
      if (!First || H.Start.MonotonicNs < First->MonotonicNs)
        First = &H.Start;
    }
  std::vector<uint64_t> Out;
  for (const Header &H : All) {
    auto At = Firsts.find(H.BootId);
    bool IsKnown = At != Firsts.end() && H.Start.MonotonicNs;
    Out.push_back(IsKnown ? Rounded(At->second->RealtimeNs) +
                                Rounded(H.Start.MonotonicNs) -
                                Rounded(At->second->MonotonicNs)
                          : Rounded(H.Start.RealtimeNs));
  }
  return Out;
}

static MergeInputs readHeaders(ArrayRef<std::string> Paths) {
  MergeInputs In;
  for (const std::string &Path : Paths) {
    Expected<std::unique_ptr<TraceReader>> R = TraceReader::open(Path);
    if (!R) {
      In.Unread.push_back(toString(R.takeError()));
      continue;
    }
    In.Paths.push_back(Path);
    In.Headers.push_back((*R)->header());
  }
  return In;
}

/// What all headers agree on; else empty.
static std::string common(ArrayRef<Header> All, std::string Header::*Field) {
  return all_of(All, [&](const Header &H) { return H.*Field == All[0].*Field; })
             ? All[0].*Field
             : std::string();
}

/// What the recordings of other tools do not hold, the merged trace does not
/// hold for a part of it.
static std::vector<std::string> importedFacts(ArrayRef<Header> All) {
  ImportedFrom Out;
  for (const Header &H : All) {
    ImportedFrom Of = importedFrom(H);
    if (!Of)
      continue;
    bool IsSame = !Out || Out.Format == Of.Format;
    Out.Format = IsSame ? Of.Format : "several tools";
    for (Lack L : Of.Lacks)
      if (!Out.lacks(L))
        Out.Lacks.push_back(L);
  }
  sort(Out.Lacks);
  return Out ? Out.facts() : std::vector<std::string>();
}

static Header mergedHeader(const MergeInputs &In) {
  const Header &First = In.Headers[In.First];
  Header H;
  H.Tool = "memmerge " MEMKIT_VERSION;
  H.Command = First.Command;
  H.Host = common(In.Headers, &Header::Host);
  H.BootId = common(In.Headers, &Header::BootId);
  H.Os = common(In.Headers, &Header::Os);
  H.Start = First.Start;
  H.TscHz = First.TscHz;
  H.PageSize = First.PageSize;
  H.Cpus = First.Cpus;
  H.Imported = importedFacts(In.Headers);
  uint64_t Count = 0;
  for (const Header &Of : In.Headers) {
    Count += std::max<uint64_t>(1, numMerged(Of));
    H.WorldSize = std::max(H.WorldSize, Of.WorldSize);
  }
  H.Options.push_back((MergedOption + Twine(Count)).str());
  return H;
}

namespace {
/// Opens the next trace while the caller works on a trace.
class TraceQueue {
public:
  explicit TraceQueue(ArrayRef<std::string> Paths) : Paths(Paths) { open(); }
  bool empty() const { return !Next; }
  /// Calls Work with the next trace, or an error.
  void pop(function_ref<void(size_t, Expected<std::unique_ptr<Trace>>)> Work) {
    size_t I = Opened - 1;
    Expected<std::unique_ptr<Trace>> Now = std::move(*Next);
    Next.reset();
    runBoth([&] { Work(I, std::move(Now)); }, [&] { open(); });
  }

private:
  void open() {
    if (Opened == Paths.size())
      return;
    // TP_Replay: a trace without a summary has its events.
    Next.emplace(Trace::open(Paths[Opened], TP_All | TP_Unshown));
    ++Opened;
  }

  ArrayRef<std::string> Paths;
  std::optional<Expected<std::unique_ptr<Trace>>> Next;
  size_t Opened = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// The traces, one after the other
//===----------------------------------------------------------------------===//

namespace {
/// Writes the merged trace of one kind.
class TraceMerger {
public:
  TraceMerger(TraceWriter &Out, MergeKind Kind, double Share)
      : Out(Out), Kind(Kind), Names(Out),
        Sums(Out, Names, Kind == MergeKind::Summary ? Share : 0),
        Samples(Names), Sections(Out, Names, sectionsOf(Kind)) {}

  Error add(const Trace &T, uint64_t ShiftNs);
  Error finish();

private:
  static unsigned sectionsOf(MergeKind Kind) {
    return Kind == MergeKind::Whole  ? MS_Events | MS_Marks
           : Kind == MergeKind::Sums ? MS_Marks | MS_Intervals
                                     : 0;
  }
  Error addPartial(const Trace &T, uint64_t ShiftNs);

  TraceWriter &Out;
  MergeKind Kind;
  NameMerger Names;
  SummaryMerger Sums;
  DeviceMarks Samples;
  SectionMerger Sections;
  uint32_t Traces = 0;
};
} // namespace

Error TraceMerger::addPartial(const Trace &T, uint64_t ShiftNs) {
  Expected<Partial> P = Sums.partialOf(T, ShiftNs, Traces);
  if (!P)
    return P.takeError();
  if (Error E = Names.flush())
    return E;
  return writeLists(std::move(*P),
                    [&](const Partial &Part) { return Out.write(Part); });
}

Error TraceMerger::add(const Trace &T, uint64_t ShiftNs) {
  ++Traces;
  Names.start(T, ShiftNs);
  if (Error E = Names.addProcesses())
    return E;
  if (Kind != MergeKind::Summary)
    if (Error E = Names.addLoads())
      return E;
  if (Error E = Sections.add(T, ShiftNs))
    return E;
  if (Error E = Kind == MergeKind::Whole ? addPartial(T, ShiftNs)
                                         : Sums.add(T, ShiftNs))
    return E;
  if (Kind == MergeKind::Summary)
    if (Error E = Samples.add(T, ShiftNs))
      return E;
  Names.finish();
  return Error::success();
}

Error TraceMerger::finish() {
  if (Kind == MergeKind::Whole)
    return Names.flush();
  if (Error E = Samples.write(Out))
    return E;
  return Sums.finish();
}

static bool hasRank(const Trace &T) {
  return T.header().Rank >= 0 ||
         any_of(T.processes(),
                [](const ProcessRecord &P) { return P.Place.Rank >= 0; });
}

static void noteCut(const Trace &T, MergeResult &Result) {
  if (!T.isComplete() && !T.isBeingRecorded())
    Result.Cut.push_back((T.name() + ": " + T.reader().damage() +
                          "; the recording has the run up to " +
                          formatTime(T.endNs()))
                             .str());
}

static Error addTraces(const MergeInputs &In, TraceMerger &Into,
                       const MergeOptions &Options, MergeResult &Result) {
  Error Failed = Error::success();
  auto Show = [&](size_t Done) {
    if (Options.OnProgress)
      Options.OnProgress("merging traces", Done, In.Paths.size());
  };
  Show(0);
  for (TraceQueue Queue(In.Paths); !Queue.empty() && !Failed;)
    Queue.pop([&](size_t I, Expected<std::unique_ptr<Trace>> T) {
      if (T) {
        Failed = Into.add(**T, In.Starts[I] - In.Starts[In.First]);
        ++Result.Merged;
        Result.Ranked += hasRank(**T);
        noteCut(**T, Result);
      } else {
        Result.Unread.push_back(toString(T.takeError()));
      }
      Show(I + 1);
    });
  if (Failed)
    return Failed;
  if (!Result.Merged)
    return makeError(Result.Unread.front());
  return Into.finish();
}

/// Merges everything but what completeTrace() makes of the events.
static Error mergeInto(Sink &Out, const MergeInputs &In, const Header &H,
                       MergeKind Kind, const MergeOptions &Options,
                       MergeResult &Result) {
  Expected<std::unique_ptr<TraceWriter>> Writer = TraceWriter::create(Out, H);
  if (!Writer)
    return Writer.takeError();
  TraceMerger Into(**Writer, Kind, Options.FoldShare);
  if (Error E = addTraces(In, Into, Options, Result))
    return E;
  return (*Writer)->finish();
}

//===----------------------------------------------------------------------===//
// Stats of all events
//===----------------------------------------------------------------------===//

std::string temporaryFolder() {
  const char *Folder = std::getenv("TMPDIR");
  return Folder && *Folder ? Folder : "/tmp";
}

Expected<int> openTemporary(const std::string &Folder) {
  std::string Path = Folder + "/memmerge-XXXXXX";
  int Fd = mkostemp(Path.data(), O_CLOEXEC);
  if (Fd < 0)
    return failErrno(Path);
  unlink(Path.c_str());
  return Fd;
}

static Error mergeWhole(Sink &Out, const MergeInputs &In, const Header &H,
                        const MergeOptions &Options, MergeResult &Result) {
  Expected<int> Fd = openTemporary(Options.TemporaryFolder);
  if (!Fd)
    return Fd.takeError();
  FdSink Temporary(*Fd, "a temporary file in " + Options.TemporaryFolder);
  if (Error E =
          mergeInto(Temporary, In, H, MergeKind::Whole, Options, Result)) {
    close(*Fd);
    return E;
  }
  Expected<std::unique_ptr<TraceReader>> R =
      TraceReader::openFd(*Fd, "the merged trace");
  if (!R)
    return R.takeError();
  Expected<std::unique_ptr<TraceWriter>> Writer = TraceWriter::create(Out, H);
  if (!Writer)
    return Writer.takeError();
  if (Error E = completeTrace(**R, **Writer))
    return E;
  return (*Writer)->finish();
}

/// The first trace without all of its events; empty: each has all.
static std::string findWithoutEvents(const MergeInputs &In) {
  for (const std::string &Path : In.Paths) {
    // A killed recording tells it without a summary.
    Expected<std::unique_ptr<Trace>> T =
        Trace::open(Path, TP_Totals | TP_Replay);
    if (!T) {
      consumeError(T.takeError());
      continue;
    }
    if ((*T)->eventsLeftOut())
      return Path;
  }
  return "";
}

Expected<MergeResult> mergeTraces(ArrayRef<std::string> Paths, Sink &Out,
                                  const MergeOptions &Options) {
  MergeInputs In = readHeaders(Paths);
  MergeResult Result;
  Result.Unread = std::move(In.Unread);
  if (In.Paths.empty())
    return makeError(Result.Unread.empty() ? "no traces"
                                           : Result.Unread.front());
  MergeKind Kind = Options.Kind;
  if (Kind == MergeKind::Whole) {
    Result.NoEvents = findWithoutEvents(In);
    if (!Result.NoEvents.empty())
      Kind = MergeKind::Sums;
  }
  // Times of events are multiples of a unit.
  In.Starts = startsOf(In.Headers, Kind == MergeKind::Whole ? TimeUnitNs : 1);
  In.First = static_cast<size_t>(min_element(In.Starts) - In.Starts.begin());
  Header H = mergedHeader(In);
  if (Kind != MergeKind::Whole)
    H.Options.push_back(SummedPeaksOption.str());
  Error E = Kind == MergeKind::Whole
                ? mergeWhole(Out, In, H, Options, Result)
                : mergeInto(Out, In, H, Kind, Options, Result);
  if (E)
    return std::move(E);
  return Result;
}

} // namespace memkit
