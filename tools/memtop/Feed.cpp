// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where memtop's frames come from.

#include "Feed.h"
#include "Trace/OpenFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <ctime>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// Time between two pieces of work over the work's processor time: the program
/// may need the processor.
static constexpr uint64_t CostFactor = 50;

static uint64_t clockNs(clockid_t Clock) {
  timespec T = {};
  clock_gettime(Clock, &T);
  constexpr uint64_t NsPerS = 1'000'000'000;
  return uint64_t(T.tv_sec) * NsPerS + uint64_t(T.tv_nsec);
}

/// The processor time of a process so far; 0: not known, or no memrec that
/// runs.
static uint64_t processorNs(pid_t Pid) {
  auto Stat =
      MemoryBuffer::getFileAsStream("/proc/" + std::to_string(Pid) + "/stat");
  if (!Stat)
    return 0;
  // The name may have blanks and parentheses.
  auto [Name, Rest] = (*Stat)->getBuffer().rsplit(") ");
  if (!Name.ends_with("(memrec") || Rest.starts_with("Z"))
    return 0;
  SmallVector<StringRef> Fields;
  Rest.split(Fields, ' ');
  // The fields 14 and 15 of proc(5), in ticks; Rest begins with field 3.
  constexpr size_t User = 11, System = 12;
  uint64_t A = 0, B = 0;
  if (Fields.size() <= System || Fields[User].getAsInteger(10, A) ||
      Fields[System].getAsInteger(10, B))
    return 0;
  constexpr uint64_t NsPerS = 1'000'000'000;
  return (A + B) * (NsPerS / uint64_t(sysconf(_SC_CLK_TCK)));
}

Expected<std::unique_ptr<Feed>> Feed::open(StringRef Name, SelectionSpec Spec) {
  std::unique_ptr<Feed> S(new Feed(Name, std::move(Spec)));
  S->Run.IsLive = isLive(Name);
  if (S->Run.IsLive)
    if (Error E = S->connect())
      return std::move(E);
  S->Run.Source = S->Name;
  S->Run.Status = S->Run.IsLive ? "recording" : "trace";
  if (Error E = S->read(S->Name))
    return std::move(E);
  S->measureRecorder();
  return S;
}

Error Feed::connect() {
  Expected<LiveClient> C = LiveClient::connect(Name);
  if (!C)
    return C.takeError();
  Name = C->name();
  // Another user's recorder does not choose a file for us to open.
  Output = C->isOwn() ? replyValue(C->hello(), "output").str() : "-";
  int Pid = 0;
  if (!replyValue(C->hello(), "pid").getAsInteger(10, Pid))
    Recorder = Pid;
  return Error::success();
}

Expected<std::unique_ptr<WatchedTrace>> Feed::readLive() {
  if (!Follower)
    Follower.emplace(Name);
  Expected<std::shared_ptr<const TraceBytes>> Bytes = Follower->read();
  if (!Bytes)
    return Bytes.takeError();
  Expected<std::unique_ptr<TraceReader>> Reader =
      TraceReader::create(std::move(*Bytes));
  if (!Reader)
    return Reader.takeError();
  Expected<std::unique_ptr<Trace>> Opened =
      Trace::create(std::move(*Reader), TP_All);
  if (!Opened)
    return Opened.takeError();
  return WatchedTrace::create(std::move(*Opened), Spec);
}

Error Feed::read(StringRef Path) {
  uint64_t BeginNs = clockNs(CLOCK_PROCESS_CPUTIME_ID);
  Expected<std::unique_ptr<WatchedTrace>> Read =
      isLive(Path) ? readLive() : WatchedTrace::open(Path, Spec);
  if (!Read)
    return Read.takeError();
  if (Run.IsLive && Follower)
    Run.Status = Follower->isRecording() ? "recording" : "recording is off";
  Tree.reset();
  Now = std::move(*Read);
  Tree.emplace(*Now);
  Run.Program = queryProgram(Now->trace());
  Run.Rank = Now->trace().header().Rank;
  for (StringRef Fact : Now->trace().header().Machine)
    if (uint64_t Limit = 0;
        Fact.consume_front("memory-limit=") && !Fact.getAsInteger(10, Limit))
      Run.LimitBytes = Limit;
  Run.Pid = 0;
  for (const ProcessReport &P : Now->run().Processes)
    if (!P.Parent || Now->run().Processes.size() == 1) {
      Run.Pid = P.Pid;
      break;
    }
  CostNs = clockNs(CLOCK_PROCESS_CPUTIME_ID) - BeginNs;
  return searchGrowth();
}

/// Looks for what grows, unless a search of this recording is too recent. A
/// search reads all intervals, so it has a share of the processor of its own.
Error Feed::searchGrowth() {
  uint64_t BeginNs = clockNs(CLOCK_MONOTONIC);
  if (Run.IsLive && BeginNs < SearchDueNs)
    return Error::success();
  uint64_t CpuNs = clockNs(CLOCK_PROCESS_CPUTIME_ID);
  Expected<std::vector<WatchedGrowth>> Found = readGrowth(*Now, Tree->lines());
  if (!Found)
    return Found.takeError();
  Run.Growing = std::move(*Found);
  Run.GrowthNs = Now->endNs();
  CpuNs = clockNs(CLOCK_PROCESS_CPUTIME_ID) - CpuNs;
  constexpr uint64_t Soonest = 5'000'000'000;
  SearchDueNs = BeginNs + std::max(Soonest, CpuNs * CostFactor);
  return Error::success();
}

/// The recorder's processor time since the last call.
void Feed::measureRecorder() {
  Run.RecorderShare.reset();
  if (!Run.IsLive || !Recorder)
    return;
  uint64_t Ns = processorNs(Recorder), AtNs = clockNs(CLOCK_MONOTONIC);
  if (Ns && RecorderNs && AtNs > RecorderAtNs)
    Run.RecorderShare =
        double(Ns - std::min(Ns, RecorderNs)) / double(AtNs - RecorderAtNs);
  RecorderNs = Ns;
  RecorderAtNs = AtNs;
}

void Feed::end() {
  Run.IsLive = false;
  Run.RecorderShare.reset();
  Run.Status = "ended";
  if (Output.empty() || Output == "-")
    return;
  // The finished file has the last events, too.
  if (Error E = read(Output))
    Run.Status = "ended; " + toString(std::move(E));
  else
    Run.Source = Output;
}

void Feed::refresh() {
  if (!Run.IsLive)
    return;
  Error Problem = read(Name);
  if (!Problem) {
    measureRecorder();
    return;
  }
  Run.Status = "not read: " + toString(std::move(Problem));
  // The next copy is a whole one.
  Follower.reset();
  Expected<LiveClient> C = LiveClient::connect(Name);
  if (C)
    return;
  consumeError(C.takeError());
  // At the end memrec writes the rest of the trace, and takes no questions.
  if (processorNs(Recorder))
    Run.Status = "memrec does not answer";
  else
    end();
}

uint64_t Feed::intervalNs(uint64_t Wanted) const {
  constexpr uint64_t Day = 86'400'000'000'000;
  return std::min(std::max(Wanted, CostNs * CostFactor), Day);
}

Error Feed::ask(StringRef Request) {
  if (!Run.IsLive)
    return createStringError("the recording has ended");
  Expected<LiveClient> C = LiveClient::connect(Name);
  if (!C)
    return C.takeError();
  return C->ask(Request).takeError();
}
