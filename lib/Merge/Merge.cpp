// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many traces as one trace.

#include "Merge.h"
#include "DeviceMarks.h"
#include "NameMerger.h"
#include "SummaryMerger.h"
#include "Support/Failure.h"
#include "Support/RunBoth.h"
#include "memkit/Model/Merged.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

using namespace llvm;

namespace memkit {

namespace {
/// The headers of the traces that can be read.
struct MergeInputs {
  std::vector<std::string> Paths;
  std::vector<Header> Headers;
  std::vector<std::string> Unread;
  size_t First = 0; ///< the trace that started first
};
} // namespace

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
    if (In.Headers.back().Start.RealtimeNs <
        In.Headers[In.First].Start.RealtimeNs)
      In.First = In.Headers.size() - 1;
  }
  return In;
}

/// What all headers agree on; else empty.
static std::string common(ArrayRef<Header> All, std::string Header::*Field) {
  return all_of(All,
                [&](const Header &H) { return H.*Field == All[0].*Field; })
             ? All[0].*Field
             : std::string();
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
  uint64_t Count = 0;
  for (const Header &Of : In.Headers) {
    Count += std::max<uint64_t>(1, numMerged(Of));
    H.WorldSize = std::max(H.WorldSize, Of.WorldSize);
  }
  H.Options.push_back((MergedOption + Twine(Count)).str());
  return H;
}

/// By how much the clock of a trace began after the clock of the result.
static uint64_t shiftOf(const Header &H, const Header &First) {
  const ClockTriple &A = H.Start, &B = First.Start;
  bool IsOneBoot = !H.BootId.empty() && H.BootId == First.BootId &&
                   A.MonotonicNs >= B.MonotonicNs;
  return IsOneBoot ? A.MonotonicNs - B.MonotonicNs
                   : A.RealtimeNs - B.RealtimeNs;
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
    Next.emplace(Trace::open(Paths[Opened], TP_All));
    ++Opened;
  }

  ArrayRef<std::string> Paths;
  std::optional<Expected<std::unique_ptr<Trace>>> Next;
  size_t Opened = 0;
};
} // namespace

static Error addTrace(const Trace &T, uint64_t ShiftNs, NameMerger &Names,
                      SummaryMerger &Sums, DeviceMarks &Marks) {
  Names.start(T, ShiftNs);
  if (Error E = Names.addProcesses())
    return E;
  if (Error E = Sums.add(T, ShiftNs))
    return E;
  if (Error E = Marks.add(T, ShiftNs))
    return E;
  Names.finish();
  return Error::success();
}

Expected<MergeResult> mergeSummaries(ArrayRef<std::string> Paths, Sink &Out,
                                     const MergeOptions &Options) {
  MergeInputs In = readHeaders(Paths);
  MergeResult Result;
  Result.Unread = std::move(In.Unread);
  if (In.Paths.empty())
    return makeError(Result.Unread.empty() ? "no traces"
                                           : Result.Unread.front());
  Header H = mergedHeader(In);
  Expected<std::unique_ptr<TraceWriter>> Writer = TraceWriter::create(Out, H);
  if (!Writer)
    return Writer.takeError();
  NameMerger Names(**Writer);
  SummaryMerger Sums(**Writer, Names, Options.FoldShare);
  DeviceMarks Marks(Names);
  Error Failed = Error::success();
  auto Show = [&](size_t Done) {
    if (Options.OnProgress)
      Options.OnProgress("merging traces", Done, In.Paths.size());
  };
  Show(0);
  for (TraceQueue Queue(In.Paths); !Queue.empty() && !Failed;)
    Queue.pop([&](size_t I, Expected<std::unique_ptr<Trace>> T) {
      if (T) {
        Failed = addTrace(**T, shiftOf(In.Headers[I], H), Names, Sums, Marks);
        ++Result.Merged;
      } else {
        Result.Unread.push_back(toString(T.takeError()));
      }
      Show(I + 1);
    });
  if (Failed)
    return std::move(Failed);
  if (!Result.Merged)
    return makeError(Result.Unread.front());
  if (Error E = Marks.write(**Writer))
    return std::move(E);
  if (Error E = Sums.finish())
    return std::move(E);
  if (Error E = (*Writer)->finish())
    return std::move(E);
  return Result;
}

} // namespace memkit
