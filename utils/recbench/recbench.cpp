// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the recorder over the events of a trace.
//
// Measures and profiles the recorder's work on the records of a program (merge,
// live table, stats, columns, compression) without the program: the same work
// in each run. All records are in memory first; in each turn some go into the
// rings, and the recorder takes them out.

#include "Record/Output/LiveCopy.h"
#include "Record/Shared/RingMerge.h"
#include "Sources/ProcessState.h"
#include "Stream.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>
#include <numeric>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace memkit;

static cl::OptionCategory Category("Options");
static cl::opt<std::string> Input(cl::Positional, cl::desc("TRACE"),
                                  cl::Required, cl::cat(Category));
static cl::opt<std::string> Output("o", cl::desc("The trace to write"),
                                   cl::value_desc("FILE"), cl::cat(Category));
static cl::opt<unsigned> Rounds("rounds", cl::desc("The least of so many"),
                                cl::init(3), cl::cat(Category));
static cl::opt<unsigned>
    Turn("turn", cl::desc("Records that stand in the rings at a pass"),
         cl::init(4096), cl::cat(Category));

static cl::opt<unsigned>
    Processes("processes",
              cl::desc("So many processes at once, each with the events of the "
                       "trace at the same times"),
              cl::init(1), cl::cat(Category));
static cl::opt<bool>
    WriteThread("write-thread",
                cl::desc("A thread writes large sections; the times are of the "
                         "other thread alone"),
                cl::cat(Category));
static cl::opt<bool>
    Stages("stages", cl::desc("Print the time of each stage of the work"),
           cl::cat(Category));
static cl::opt<bool> NoScopes("no-scopes",
                              cl::desc("Leave out layers, operators, ranges"),
                              cl::cat(Category));
static cl::opt<bool> Live("live",
                          cl::desc("Hand out the trace of the moment again and "
                                   "again, as to tools that look on"),
                          cl::cat(Category));

/// The session's value.
static constexpr uint64_t WorkNs = 250000;

static uint64_t cpuNs() {
  timespec T;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return uint64_t(T.tv_sec) * 1000000000 + uint64_t(T.tv_nsec);
}

namespace {

/// What the recorder's thread does, in the order of a pass.
enum Stage : unsigned {
  MergeRecords, ///< of all rings, by time
  TakeRecords,  ///< live tables, stats, rows of events
  WriteRows,    ///< encodes, compresses; --write-thread: hands on
  CutIntervals, ///< and snapshots, and records that waited for another
  EndTrace,     ///< the summary
  NumStages
};
static constexpr StringLiteral StageNames[NumStages] = {"merge", "take",
                                                        "write", "cut", "end"};

/// Processor time by stage. A reading costs some 200 ns, so a stage is entered
/// for many records.
class StageClock {
public:
  void begin() { Last = cpuNs(); }
  /// What went by since begin(), or the last call, was of S.
  void was(Stage S) {
    uint64_t Now = cpuNs();
    Ns[S] += Now - std::exchange(Last, Now);
  }
  uint64_t of(Stage S) const { return Ns[S]; }
  uint64_t sum() const {
    return std::accumulate(std::begin(Ns), std::end(Ns), uint64_t(0));
  }

private:
  uint64_t Last = 0;
  uint64_t Ns[NumStages] = {};
};

/// The program's side of its shared memory.
class Writer {
public:
  Writer(SharedProcess &I, const Stream &S) : Process(I), S(S) {
    const wire::Regions &R = I.control().Regions;
    Size = R.Size;
    Base = static_cast<char *>(mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_NORESERVE, I.fd(), 0));
    if (Base == MAP_FAILED)
      report_fatal_error("cannot map the shared memory");
    auto *Nodes = reinterpret_cast<wire::Node *>(Base + R.Nodes);
    for (size_t N = 1; N != S.Nodes.size(); ++N) {
      Nodes[N].Parent = S.Nodes[N].first;
      Nodes[N].Code = S.Nodes[N].second;
    }
    auto *Codes = reinterpret_cast<wire::Code *>(Base + R.Codes);
    for (uint32_t C = 1; C <= S.NumCodes; ++C) {
      Codes[C].Address = 0x400000 + C;
      Codes[C].Kind = uint32_t(wire::CodeKind::Native);
    }
    for (const auto &[Number, Text] : S.Texts) {
      char *To = Base + R.Texts + (Number - 1) * wire::TextAlign;
      uint32_t Bytes = uint32_t(Text.size());
      std::memcpy(To, &Bytes, sizeof(Bytes));
      std::memcpy(To + sizeof(Bytes), Text.data(), Bytes);
    }
    I.control().NextNode = uint32_t(S.Nodes.size());
    I.control().NextCode = S.NumCodes + 1;
    I.control().RingsUsed = S.NumRings;
    for (uint32_t Ring = 0; Ring != S.NumRings; ++Ring)
      I.ringHeader(Ring).Tid = 100 + Ring;
    Records = reinterpret_cast<wire::Record *>(Base + R.Rings);
  }
  ~Writer() { munmap(Base, Size); }

  /// Puts up to Max records into their rings. False if no record is left.
  bool put(unsigned Max) {
    if (Next == S.Items.size())
      return false;
    for (; Max && Next != S.Items.size(); --Max, ++Next) {
      const Stream::Item &I = S.Items[Next];
      wire::RingHeader &H = Process.ringHeader(I.Ring);
      uint64_t Head = H.Head.load(std::memory_order_relaxed);
      if (Head - H.Tail.load(std::memory_order_relaxed) == wire::RingRecords)
        break;
      Records[size_t(I.Ring) * wire::RingRecords + Head % wire::RingRecords] =
          I.R;
      H.Head.store(Head + 1, std::memory_order_release);
    }
    return true;
  }
  /// The time of the last record.
  uint64_t clock() const { return S.Items[Next - 1].R.Tsc; }

private:
  SharedProcess &Process;
  const Stream &S;
  char *Base = nullptr;
  size_t Size = 0;
  wire::Record *Records = nullptr;
  size_t Next = 0;
};

/// A recording of processes with the same records.
class Bench {
public:
  Bench(const Stream &S, Sink &Out) {
    Header H;
    H.Tool = "memkit-recbench " MEMKIT_VERSION;
    H.TscHz = 1000000000;
    R = cantFail(Recording::create(Out, H, TscClock({0, 0, 0}, H.TscHz)));
    if (WriteThread)
      R->writeByThread();
    Shared = std::make_unique<SharedSources>(*R);
    for (uint32_t Id = 1; Id <= std::max(1u, Processes.getValue()); ++Id)
      begin(Id, S);
  }

  /// Records everything; returns the recorder's time.
  const StageClock &run() {
    while (put()) {
      Clock.begin();
      pass();
    }
    Clock.begin();
    for (auto &I : States)
      I->settleHeld(true);
    Clock.was(CutIntervals);
    R->flush();
    Clock.was(WriteRows);
    R->complete();
    Clock.was(EndTrace);
    finish();
    return Clock;
  }
  uint64_t bytes() const { return R->bytes(); }
  /// The longest time between two passes over the rings.
  uint64_t longestNs() const { return Longest; }

  /// Copies of the trace of the moment for a reader that reads again and again,
  /// their processor time, and the longest step of one. Every 16th copy is in
  /// full, as for a new reader.
  struct LiveCost {
    uint64_t Copies = 0, Ns = 0, LongestNs = 0, LongestBeginNs = 0;
    uint64_t FullCopies = 0, FullNs = 0;
  };
  const LiveCost &live() const { return Cost; }

private:
  void begin(uint32_t Id, const Stream &S);
  bool put();
  void finish();
  void end(ProcessState &I);
  void cut(uint32_t Process);
  void look();
  LLVM_ATTRIBUTE_NOINLINE void pass();
  void drain();
  void take(ArrayRef<MergedRecord> Records);

  std::unique_ptr<Recording> R;
  std::unique_ptr<SharedSources> Shared;
  std::vector<std::unique_ptr<ProcessState>> States;
  std::vector<std::unique_ptr<Writer>> Writers;
  StageClock Clock;
  uint64_t Longest = 0;
  static constexpr uint64_t FullEvery = 16;
  std::unique_ptr<LiveCopy> Copy;
  uint64_t CopiedEvents = 0; ///< before the last copy
  LiveCost Cost;
  RingMerge Merge;
  std::vector<MergedRecord> Batch;
  std::vector<RingOfProcess> RingOf;
};

} // namespace

void Bench::begin(uint32_t Id, const Stream &S) {
  ProcessRecord Row;
  Row.Pid = Id;
  R->names().addProcess(Row);
  R->stats().beginProcess(Id, 0);
  States.push_back(std::make_unique<ProcessState>(
      Id, getpid(), false,
      cantFail(SharedProcess::create(Id, ProcessSettings(), "recbench")),
      *Shared));
  R->addProcess(States.back()->log());
  Writers.push_back(std::make_unique<Writer>(States.back()->shared(), S));
}

/// Puts records into the rings of all processes. False if none is left.
bool Bench::put() {
  bool Any = false;
  for (auto &W : Writers)
    Any |= W->put(Turn);
  return Any;
}

void Bench::drain() {
  Merge.start(~0ull);
  RingOf.clear();
  for (auto &I : States)
    for (uint32_t Ring = 0; Ring != I->shared().ringsUsed(); ++Ring) {
      uint64_t Head = I->shared().ringHeader(Ring).Head.load();
      uint64_t Tail = I->ring(Ring).Tail;
      if (Head == Tail)
        continue;
      Merge.add(I->shared().ring(Ring), Tail, Head, uint32_t(RingOf.size()));
      RingOf.push_back({I.get(), Ring, I->id()});
    }
  Batch.resize(2048);
  while (size_t Count = Merge.next(Batch.data(), Batch.size())) {
    Clock.was(MergeRecords);
    for (const RingMerge::RingCursor &C : Merge.cursors()) {
      auto [I, Ring, Id] = RingOf[C.Source];
      I->ring(Ring).Tail = C.Tail;
      I->shared().ringHeader(Ring).Tail.store(C.Tail);
    }
    uint64_t Begin = cpuNs();
    take(ArrayRef(Batch).take_front(Count));
    Clock.was(TakeRecords);
    R->work(WorkNs);
    Clock.was(WriteRows);
    Longest = std::max(Longest, cpuNs() - Begin);
  }
  Clock.was(MergeRecords);
}

/// As Session::takeBatch().
void Bench::take(ArrayRef<MergedRecord> Records) {
  ProcessState::prefetchFirst(Records, RingOf.data());
  while (!Records.empty()) {
    auto [I, Ring, Id] = RingOf[Records[0].Source];
    size_t Taken = I->takeFast(Records, RingOf.data());
    if (!Taken) {
      I->process(Records[0].R, Ring);
      Taken = 1;
    }
    Records = Records.drop_front(Taken);
  }
}

void Bench::pass() {
  ++Shared->Pass;
  drain();
  for (auto &I : States)
    I->settleHeld();
  for (auto &I : States)
    cut(I->id());
  for (auto &I : States)
    I->snapshots().advance();
  Clock.was(CutIntervals);
  if (Live)
    look();
}

void Bench::cut(uint32_t Process) {
  uint64_t Clock = Writers[0]->clock();
  if (R->stats().isCutting(Process))
    R->goOnCutting(Process);
  else if (R->stats().timeIntervalDue(Process, Clock))
    R->beginCut(Process, R->boundaryNs(Clock));
}

/// As Door: a step of a copy.
void Bench::look() {
  uint64_t Begin = cpuNs();
  bool Begins = !Copy, IsDone = false;
  if (Begins)
    Copy = cantFail(LiveCopy::begin(
        *R, Writers[0]->clock(),
        (Cost.Copies + Cost.FullCopies) % FullEvery ? CopiedEvents : 0));
  while (!Begins && !IsDone && cpuNs() - Begin < WorkNs / 2) {
    IsDone = cantFail(Copy->step());
    if (Copy->isWaiting())
      break;
  }
  uint64_t Ns = cpuNs() - Begin;
  (Copy->since() ? Cost.Ns : Cost.FullNs) += Ns;
  uint64_t &Longest = Begins ? Cost.LongestBeginNs : Cost.LongestNs;
  Longest = std::max(Longest, Ns);
  if (!IsDone)
    return;
  (Copy->since() ? Cost.Copies : Cost.FullCopies) += 1;
  CopiedEvents = Copy->events();
  // The memory is the reader's by now, who gives it back.
  Copy.reset();
}

/// Ends the process and the trace as the session does.
void Bench::finish() {
  for (auto &I : States)
    end(*I);
  R->finish();
  cantFail(R->takeError());
}

void Bench::end(ProcessState &I) {
  I.snapshots().finish();
  Mark M;
  M.Kind = MarkKind::ProcessEnd;
  M.Process = I.id();
  M.TimeNs = R->boundaryNs();
  M.Values = {0, 0};
  R->stats().expectLastCut(I.id());
  R->cutInterval(I.id(), M.TimeNs);
  R->stats().endProcess(I.id(), M.TimeNs, 0, 0);
  R->addMark(std::move(M));
}

/// What stands in the way of more events a second: the stages of one thread.
static void printStages(const StageClock &Of, double Count) {
  double Sum = 0;
  outs() << "stages, ns each:";
  for (unsigned S = 0; S != NumStages; ++S) {
    double Ns = double(Of.of(Stage(S))) / Count;
    Sum += Ns;
    outs() << format(" %s %.1f", StageNames[S].data(), Ns);
  }
  double Serial = Sum - (WriteThread ? 0 : double(Of.of(WriteRows)) / Count);
  outs() << format("; computed, with a thread that writes: %.1f ns, %.1f "
                   "million a second\n",
                   Serial, 1000 / Serial);
}

static Error bench() {
  Expected<Stream> S = makeStream(Input, !NoScopes);
  if (!S)
    return S.takeError();
  uint64_t Longest = ~0ull, Bytes = 0;
  std::optional<StageClock> Best;
  Bench::LiveCost Cost;
  std::string Trace;
  for (unsigned Round = 0; Round != std::max(1u, Rounds.getValue()); ++Round) {
    Trace.clear();
    StringSink Out(Trace);
    Bench B(*S, Out);
    if (StageClock Is = B.run(); !Best || Is.sum() < Best->sum())
      Best = Is;
    Longest = std::min(Longest, B.longestNs());
    Bytes = B.bytes();
    Cost = B.live();
  }
  size_t Items = S->Items.size() * std::max(1u, Processes.getValue());
  double Count = double(Items);
  outs() << Items << (S->NumScopes ? " records, " : " events, ");
  if (S->NumScopes)
    outs() << S->NumScopes << " scopes, ";
  outs() << S->NumRings << " rings, "
         << format("%.1f ns and %.3f bytes", double(Best->sum()) / Count,
                   double(Bytes) / Count)
         << (S->NumScopes ? " a record" : " an event")
         << format(", %.3f ms and %llu bytes in all", double(Best->sum()) / 1e6,
                   static_cast<unsigned long long>(Bytes))
         << format(", longest pause %.2f ms\n", double(Longest) / 1e6);
  if (Stages)
    printStages(*Best, Count);
  if (Cost.FullCopies)
    outs() << Cost.FullCopies << " copies for new readers, "
           << format("%.2f ms of processor time each; ",
                     double(Cost.FullNs) / double(Cost.FullCopies) / 1e6)
           << Cost.Copies << " of the changes since, "
           << format("%.2f ms each; longest step %.2f ms, longest begin "
                     "%.2f ms\n",
                     Cost.Copies ? double(Cost.Ns) / double(Cost.Copies) / 1e6
                                 : 0.0,
                     double(Cost.LongestNs) / 1e6,
                     double(Cost.LongestBeginNs) / 1e6);
  if (Output.empty())
    return Error::success();
  std::error_code EC;
  raw_fd_ostream File(Output, EC);
  if (EC)
    return createStringError(EC, "cannot open " + Output);
  File << Trace;
  return Error::success();
}

int main(int Argc, char **Argv) {
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(Argc, Argv,
                              "Runs the recorder over the events of a trace\n");
  if (Error E = bench()) {
    WithColor::error(errs(), "memkit-recbench")
        << toString(std::move(E)) << "\n";
    return 1;
  }
  return 0;
}
