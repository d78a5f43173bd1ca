// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files for the Firefox Profiler.

#include "Firefox.h"
#include "BlockSpans.h"
#include "FirefoxText.h"
#include "FirefoxTimeline.h"
#include "Support/CommandText.h"
#include "Support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace memkit {

namespace {

/// Version 61 of the processed format, and the version of the unprocessed
/// format at this time. The profiler upgrades older versions when it loads a
/// file.
constexpr unsigned ProcessedVersion = 61, GeckoVersion = 34;

/// Threads that the profiler shows at first; more make its page slow.
constexpr size_t MaxVisible = 20;

/// A thread of the file: blocks of a heap, a recorded thread, or both.
struct FirefoxThread {
  uint32_t Process = 0;
  uint32_t Heap = 0;   ///< 0: no blocks
  uint32_t Thread = 0; ///< 0: none
  bool IsFirst = false;
  const HeapSpans *Blocks = nullptr;
  const FirefoxMarkers *Markers = nullptr;
};

class FirefoxWriter {
public:
  FirefoxWriter(raw_ostream &OS, const SelectedStats &S,
                const FirefoxOptions &Options, FirefoxTables &Tables,
                const BlockSpans &Blocks, const FirefoxTimeline &Timeline);
  void write();

private:
  void addThreads(uint32_t Process);
  void namePids();
  void writeMeta();
  void writeExtra();
  void writeThread(const FirefoxThread &Th);
  void writeBlocks(const HeapSpans &Of);
  void writeCounters();
  std::string nameOf(const FirefoxThread &Th) const;
  std::string tidOf(const FirefoxThread &Th) const;

  raw_ostream &OS;
  const Trace &T;
  const FirefoxOptions &Options;
  FirefoxTables &Tables;
  const BlockSpans &Blocks;
  const FirefoxTimeline &Timeline;
  std::vector<FirefoxThread> Threads;
  std::vector<size_t> FirstThread; ///< by process, index in Threads
  std::vector<std::vector<uint32_t>> ThreadsOf; ///< with scopes, by process
  std::vector<std::string> Pids;                ///< by process: JSON
  std::vector<HeapSpans>::const_iterator NextHeap;
  FirefoxMarkers NoMarkers;
};

} // namespace

FirefoxWriter::FirefoxWriter(raw_ostream &OS, const SelectedStats &S,
                             const FirefoxOptions &Options,
                             FirefoxTables &Tables, const BlockSpans &Blocks,
                             const FirefoxTimeline &Timeline)
    : OS(OS), T(S.trace()), Options(Options), Tables(Tables), Blocks(Blocks),
      Timeline(Timeline), FirstThread(T.processes().size() + 1),
      ThreadsOf(FirstThread.size()), Pids(FirstThread.size()),
      NextHeap(Blocks.Heaps.begin()) {
  namePids();
  for (const auto &[Thread, Markers] : Timeline.Threads)
    ThreadsOf[T.threads()[Thread - 1].Process].push_back(Thread);
  for (uint32_t Process = 1; Process < FirstThread.size(); ++Process)
    if (S.selection().hasProcess(Process))
      addThreads(Process);
}

/// Processes of one number, as before and after exec, get numbers of their own.
void FirefoxWriter::namePids() {
  DenseMap<uint32_t, unsigned> Times;
  for (uint32_t Process = 1; Process < Pids.size(); ++Process) {
    uint32_t Pid = T.processes()[Process - 1].Pid;
    unsigned Time = ++Times[Pid];
    Pids[Process] = "\"" + std::to_string(Pid) +
                    (Time > 1 ? "." + std::to_string(Time) : "") + "\"";
  }
}

/// Adds the heaps of the next process, the heap with the highest peak first,
/// then its threads with scopes. A process without anything to show has no
/// thread.
void FirefoxWriter::addThreads(uint32_t Process) {
  size_t Begin = FirstThread[Process] = Threads.size();
  for (; NextHeap != Blocks.Heaps.end() && NextHeap->Process <= Process;
       ++NextHeap)
    if (NextHeap->Process == Process)
      Threads.push_back({Process, NextHeap->Heap, 0, false, &*NextHeap});
  std::stable_sort(Threads.begin() + Begin, Threads.end(),
                   [&](const FirefoxThread &A, const FirefoxThread &B) {
                     return T.heapStats(A.Heap).PeakBytes >
                            T.heapStats(B.Heap).PeakBytes;
                   });
  auto Markers = Timeline.Processes.find(Process);
  bool HasMarkers = Markers != Timeline.Processes.end();
  ArrayRef<uint32_t> WithScopes = ThreadsOf[Process];
  if (Threads.size() == Begin && (HasMarkers || !WithScopes.empty() ||
                                  Timeline.Counters.contains(Process)))
    Threads.push_back({Process});
  if (Threads.size() == Begin)
    return;
  Threads[Begin].IsFirst = true;
  if (HasMarkers)
    Threads[Begin].Markers = &Markers->second;
  for (uint32_t Thread : WithScopes)
    Threads.push_back({Process, 0, Thread, false, nullptr,
                       &Timeline.Threads.find(Thread)->second});
}

std::string FirefoxWriter::nameOf(const FirefoxThread &Th) const {
  if (Th.Thread) {
    StringRef Name = T.string(T.threads()[Th.Thread - 1].Name);
    return Name.empty() ? "thread" : Name.str();
  }
  std::string Heap = Th.Heap ? T.heapName(Th.Heap).str() : "";
  if (!Th.IsFirst)
    return Heap;
  return (T.processName(Th.Process) + (Heap.empty() ? "" : ": ") + Heap).str();
}

/// JSON. Heaps are no threads of the system, so their number is a text.
std::string FirefoxWriter::tidOf(const FirefoxThread &Th) const {
  if (Th.Thread)
    return std::to_string(T.tid(Th.Thread));
  return "\"" + std::to_string(Th.Process) + ":" + std::to_string(Th.Heap) +
         "\"";
}

/// Writes the allocations and frees in order of time.
void FirefoxWriter::writeBlocks(const HeapSpans &Of) {
  struct BlockRow {
    uint64_t TimeNs;
    const BlockSpan *Span;
    bool IsFree;
  };
  std::vector<BlockRow> Rows;
  for (const BlockSpan &S : Of.Spans) {
    Rows.push_back({S.BeginNs, &S, false});
    if (S.EndNs != BlockSpan::Alive)
      Rows.push_back({S.EndNs, &S, true});
  }
  // The spans of a block come in order, each with its allocation first.
  stable_sort(Rows, [](const BlockRow &A, const BlockRow &B) {
    return A.TimeNs < B.TimeNs;
  });
  OS << "\"nativeAllocations\":{\"weightType\":\"bytes\",\n";
  putColumn(OS, "time", Rows,
            [&](const BlockRow &R) { putMilliseconds(OS, R.TimeNs); });
  OS << ",\n";
  putColumn(OS, "weight", Rows, [&](const BlockRow &R) {
    OS << (R.IsFree ? "-" : "") << R.Span->Bytes;
  });
  OS << ",\n";
  putColumn(OS, "stack", Rows,
            [&](const BlockRow &R) { OS << Tables.stack(R.Span->Key); });
  OS << ",\n";
  putColumn(OS, "memoryAddress", Rows,
            [&](const BlockRow &R) { OS << R.Span->Number; });
  OS << ",\n";
  putColumn(OS, "threadId", Rows, [&](const BlockRow &R) {
    OS << T.tid(R.IsFree ? R.Span->FreedBy : R.Span->AllocatedBy);
  });
  OS << ",\"length\":" << Rows.size() << "},\n";
}

void FirefoxWriter::writeThread(const FirefoxThread &Th) {
  const ProcessRecord &P = T.processes()[Th.Process - 1];
  const ProcessStats *Stats = T.processStats(Th.Process);
  OS << "{\"name\":" << jsonText(oneLine(nameOf(Th)))
     << ",\"processName\":" << jsonText(oneLine(T.processName(Th.Process)))
     << ",\"isMainThread\":" << (Th.IsFirst ? "true" : "false")
     << ",\"pid\":" << Pids[Th.Process] << ",\"tid\":" << tidOf(Th)
     << ",\"processType\":\"default\",\"showMarkersInTimeline\":true,"
        "\"pausedRanges\":[],\"processStartupTime\":";
  putMilliseconds(OS, P.StartNs);
  OS << ",\"processShutdownTime\":";
  if (Stats && Stats->Ended)
    putMilliseconds(OS, Stats->EndNs);
  else
    OS << "null";
  OS << ",\"registerTime\":";
  putMilliseconds(OS,
                  Th.Thread ? T.threads()[Th.Thread - 1].StartNs : P.StartNs);
  OS << ",\"unregisterTime\":null,\n\"samples\":{\"weightType\":\"samples\","
        "\"weight\":null,\"stack\":[],\"time\":[],\"length\":0},\n";
  if (Th.Blocks)
    writeBlocks(*Th.Blocks);
  (Th.Markers ? *Th.Markers : NoMarkers).write(OS);
  OS << '}';
}

void FirefoxWriter::writeCounters() {
  OS << "\"counters\":[";
  bool First = true;
  for (const auto &[Process, Counters] : Timeline.Counters)
    for (const FirefoxCounter &C : Counters) {
      OS << (First ? "\n" : ",\n");
      First = false;
      C.write(OS, Pids[Process], FirstThread[Process]);
    }
  OS << "]";
}

/// Facts for the profiler's page about the profile.
void FirefoxWriter::writeExtra() {
  OS << R"("extra":[{"label":"memkit","entries":[)"
     << R"({"label":"Blocks","format":"integer","value":)" << Blocks.Read
     << "}";
  if (Blocks.RoundedNs)
    OS << R"(,{"label":"Times rounded up to","format":"nanoseconds","value":)"
       << Blocks.RoundedNs << "}";
  OS << "]}]";
}

void FirefoxWriter::writeMeta() {
  OS << "{\"meta\":{\"preprocessedProfileVersion\":" << ProcessedVersion
     << ",\"version\":" << GeckoVersion << ",\"interval\":1,\"startTime\":";
  putMilliseconds(OS, T.header().Start.RealtimeNs);
  OS << ",\"profilingStartTime\":0,\"profilingEndTime\":";
  putMilliseconds(OS, T.endNs());
  OS << ",\"processType\":0,\"stackwalk\":1,\"debug\":false,\"product\":"
     << jsonText(Options.Program.empty() ? "memkit" : Options.Program)
     << ",\"arguments\":" << jsonText(commandText(T.header().Command))
     << R"(,"importedFrom":"memflame (memkit) )" << MEMKIT_VERSION
     << R"(","symbolicated":true,"symbolicationNotSupported":true,)"
     << R"("usesOnlyOneStackType":true,"sourceCodeIsNotOnSearchfox":true,)"
     << R"("keepProfileThreadOrder":true,)"
     << R"("sampleUnits":{"time":"ms","eventDelay":"ms",)"
     << "\"threadCPUDelta\":\"ns\"},\n";
  auto Visible = seq<size_t>(0, std::min(Threads.size(), MaxVisible));
  putColumn(OS, "initialVisibleThreads", Visible, [&](size_t I) { OS << I; });
  OS << ',';
  putColumn(OS, "initialSelectedThreads",
            seq<size_t>(0, std::min<size_t>(Threads.size(), 1)),
            [&](size_t I) { OS << I; });
  OS << ",\n";
  FirefoxTables::writeCategories(OS);
  OS << ",\n";
  FirefoxMarkers::writeSchemas(OS);
  OS << ",\n";
  writeExtra();
  OS << "},\n\"libs\":[],\n";
}

void FirefoxWriter::write() {
  writeMeta();
  OS << "\"threads\":[";
  bool First = true;
  for (const FirefoxThread &Th : Threads) {
    OS << (First ? "\n" : ",\n");
    First = false;
    writeThread(Th);
  }
  OS << "],\n";
  writeCounters();
  OS << ",\n";
  // After the threads, which add to the tables.
  Tables.write(OS);
  OS << "}\n";
}

Expected<FirefoxResult> writeFirefox(raw_ostream &OS, const SelectedStats &S,
                                     StatsBy By, ShownTree T,
                                     const FrameOwners &Owners,
                                     const FirefoxOptions &Options) {
  Expected<BlockSpans> Blocks = readBlockSpans(S, By, Options.MaxBlocks);
  if (!Blocks)
    return Blocks.takeError();
  FirefoxTables Tables(T, Owners);
  Expected<FirefoxTimeline> Timeline =
      readFirefoxTimeline(S, Tables, Options.MaxScopes);
  if (!Timeline)
    return Timeline.takeError();
  FirefoxWriter(OS, S, Options, Tables, *Blocks, *Timeline).write();
  FirefoxResult Result{Blocks->Read, 0, Blocks->RoundedNs, Blocks->HasSmaller,
                       Timeline->ScopesLeftOut};
  if (Blocks->RoundedNs)
    for (const HeapSpans &H : Blocks->Heaps)
      Result.Merged += H.Spans.size();
  return Result;
}

} // namespace memkit
