// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples of the memory that processes hold.

#include "Session/MemorySamples.h"
#include "Session/SampleInterval.h"
#include "Shared/ProcFs.h"
#include "llvm/ADT/STLExtras.h"
#include <ctime>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace memkit;

/// The reciprocal of the share of a processor that sampling may take.
static constexpr uint64_t TimeShare = 200;

/// The processor time of this thread. On a busy machine the recorder often
/// waits for a processor, which costs the program nothing.
static uint64_t threadCpuNs() {
  timespec T = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return uint64_t(T.tv_sec) * 1'000'000'000 + uint64_t(T.tv_nsec);
}
static constexpr uint64_t FirstIntervalNs = 1000000;
/// PSS may use the share that a time without samples has left, of as long as
/// this: workers often live for a second of a long run.
static constexpr uint64_t SavedNs = 10'000'000'000;

uint64_t MemorySamples::intervalOf(const ChildProcess &P) const {
  return stretchedInterval(O.SampleIntervalNs, P.Samples.RssCount);
}

/// Whether the machine can swap.
static bool hasSwap() {
  struct sysinfo S = {};
  return sysinfo(&S) == 0 && S.totalswap != 0;
}

MemorySamples::MemorySamples(const RecordOptions &O, Recording &R,
                             ChildList &Children, DeviceUses &Uses,
                             CaptureReports &Reports)
    : O(O), R(R), Children(Children), Uses(Uses), Reports(Reports),
      HasSwap(hasSwap()) {}

/// The process to read the RSS of next: the one that has been due the longest;
/// null: none is due.
ChildProcess *MemorySamples::nextForRss(uint64_t Now) {
  ChildProcess *Next = nullptr;
  for (ChildProcess &P : Children.recorded())
    if (P.Samples.NextRssNs <= Now &&
        (!Next || P.Samples.NextRssNs < Next->Samples.NextRssNs))
      Next = &P;
  return Next;
}

void MemorySamples::sampleRss(uint64_t Now) {
  if (!O.SampleIntervalNs || Now < NextRssNs)
    return;
  ChildProcess *Next = nextForRss(Now);
  if (!Next)
    return;
  ChildProcess &P = *Next;
  uint64_t Age = Now - std::min(P.StartNs, Now);
  P.Samples.NextRssNs =
      Now + std::min(intervalOf(P), std::max(Age, FirstIntervalNs));
  uint64_t CpuBefore = threadCpuNs();
  auto Bytes = procfs::residentBytes(P.Pid);
  ProcessRoles::readTitle(P);
  // All processes wait, to keep the share of time.
  NextRssNs = Now + (threadCpuNs() - CpuBefore) * TimeShare;
  if (!Bytes)
    return;
  ++P.Samples.RssCount;
  P.Samples.Rss.Before = std::exchange(P.Samples.Rss.Last, Bytes->first);
  Mark M;
  M.Kind = MarkKind::Rss;
  M.Process = P.Process;
  M.TimeNs = Now;
  M.Values = {Bytes->first, Bytes->second};
  if (HasSwap)
    if (std::optional<uint64_t> Swapped = procfs::swappedBytes(P.Pid))
      M.Values.push_back(*Swapped);
  R.stats().noteResident(P.Process, Bytes->first, 0);
  R.addMark(std::move(M));
}

void MemorySamples::sampleOwn(uint64_t Now) {
  constexpr uint64_t EveryNs = 1'000'000'000;
  if (!O.SampleIntervalNs || Now < NextOwnNs)
    return;
  bool IsFirst = !NextOwnNs;
  NextOwnNs = Now + stretchedInterval(EveryNs, OwnCount);
  rusage Used = {};
  std::optional<std::pair<uint64_t, uint64_t>> Bytes;
  if (IsFirst || getrusage(RUSAGE_SELF, &Used) ||
      !(Bytes = procfs::residentBytes(getpid())))
    return;
  ++OwnCount;
  auto NsOf = [](const timeval &T) {
    return uint64_t(T.tv_sec) * 1'000'000'000 + uint64_t(T.tv_usec) * 1000;
  };
  Mark M;
  M.Kind = MarkKind::Recorder;
  M.TimeNs = Now;
  M.Values = {Bytes->first, NsOf(Used.ru_utime) + NsOf(Used.ru_stime)};
  R.addMark(std::move(M));
}

void MemorySamples::requestPss(const ChildProcess &Marked) {
  for (ChildProcess &P : Children)
    if (P.IsForked && (&P == &Marked || P.Parent == Marked.Process))
      P.Samples.IsMarked = true;
}

/// The child of fork to read the PSS of next: requested by a mark first, then
/// the longest due; null: none is due.
ChildProcess *MemorySamples::nextForPss(uint64_t Now) {
  ChildProcess *Next = nullptr;
  for (ChildProcess &P : Children) {
    if (!P.IsForked || P.EndNs || P.Exit.IsEnding || !P.State)
      continue;
    if (!P.Samples.IsMarked && Now < P.Samples.NextPssNs)
      continue;
    if (!Next || P.Samples.IsMarked > Next->Samples.IsMarked ||
        (P.Samples.IsMarked == Next->Samples.IsMarked &&
         P.Samples.NextPssNs < Next->Samples.NextPssNs))
      Next = &P;
  }
  return Next;
}

/// Adds the PSS that the thread has read.
void MemorySamples::takePss(uint64_t Now) {
  std::optional<PssThread::PssAnswer> A = Pss.take();
  if (!A)
    return;
  NextPssNs =
      std::max(NextPssNs, Now - std::min(Now, SavedNs)) + A->TookNs * TimeShare;
  ChildProcess *P = Children.find(A->Process);
  if (!A->Shares || !P || P->EndNs)
    return;
  Mark M;
  M.Kind = MarkKind::Pss;
  M.Process = A->Process;
  M.TimeNs = Now;
  M.Values = {A->Shares->Pss, A->Shares->Private, A->Shares->Swapped};
  R.stats().noteResident(A->Process, 0, A->Shares->Pss);
  R.addMark(std::move(M));
}

void MemorySamples::samplePss(uint64_t Now) {
  if (!O.SampleIntervalNs)
    return;
  takePss(Now);
  if (Pss.isBusy() || Now < NextPssNs)
    return;
  ChildProcess *P = nextForPss(Now);
  if (!P)
    return;
  constexpr uint64_t Rarer = 10; // than RSS
  uint64_t Interval = intervalOf(*P), Age = Now - std::min(P->StartNs, Now);
  P->Samples.IsMarked = false;
  P->Samples.NextPssNs = Now + std::clamp(Age, Interval, Interval * Rarer);
  Pss.ask(P->Process, P->Pid);
}

void MemorySamples::sampleDevices(uint64_t Now) {
  if (!Uses.isUsed())
    return;
  DeviceUses::Pids Of;
  for (ChildProcess &P : Children)
    if (P.State && !P.EndNs && !P.Exit.IsEnding)
      Of.push_back({P.Process, P.Pid});
  DeviceUses::News News = Uses.pass(Now, Of);
  for (const DeviceUses::DeviceReply &Reply : News.Replies)
    for (ChildProcess &P : Children)
      if (P.Process == Reply.Process && P.isRecorded())
        P.State->shared().answer(Reply.Slot, Reply.Ticket,
                                 [&](wire::Reply &To) {
                                   To.NumHeaps = Reply.IsKnown ? 0 : UINT32_MAX;
                                 });
  for (const std::string &What : News.Missed) {
    O.Warn(What);
    if (!Children.empty())
      Reports.addAlert(Children[0], What);
  }
}
