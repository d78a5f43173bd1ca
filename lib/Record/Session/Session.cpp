// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder's loop.

#include "Session/Session.h"
#include "llvm/ADT/STLExtras.h"
#include <sys/prctl.h>

using namespace llvm;
using namespace memkit;

/// Maximum names taken from the symbol thread at a time.
static constexpr size_t MaxAnswers = 128;

Session::Session(const RecordOptions &O, Recording &R, Greeter &Listener,
                 std::string Tag, std::string Trace)
    : O(O), R(R), Listener(Listener), Trace(Trace),
      Residents(O, R, Children, Tag), Execs(O, R, Children, Tag),
      Starts(Parts, Shared, Listener, Exits, Control, std::move(Tag)),
      Actions(O.OnAlert, std::move(Trace), Control, Children) {
  // Naps are short; the kernel's default timer slack would double them.
  prctl(PR_SET_TIMERSLACK, 2000ul);
  if (O.Symbols && !Symbols.start(O.Sources))
    O.Warn("no thread may start here: functions appear as addresses (memdump "
           "--symbolize adds names)");
  if (O.PrivateAllocators)
    Detours.start();
  R.addListener(*this);
  Watch.OnProcessAlert = [this](uint32_t Process, uint32_t Number,
                                uint64_t Value, uint64_t Bound) {
    tellProcess(Process, Number, Value, Bound);
  };
  Watch.OnAlert = [this](uint32_t Process) {
    Residents.ask(Process, RF_Alert);
  };
}

Session::~Session() { R.removeListener(*this); }

void Session::ranBinary(uint32_t Process, const std::string &Path) {
  if (const ChildProcess *P = Children.find(Process))
    Versions.add(Process, P->Root, Path);
}

/// Tells a program of an alert that the program asked for.
void Session::tellProcess(uint32_t Process, uint32_t Number, uint64_t Value,
                          uint64_t Bound) {
  for (ChildProcess &P : Children.recorded()) {
    if (P.Process != Process)
      continue;
    wire::AlertSlot &To = P.State->shared().control().Alerts[Number - 1];
    To.Value.store(Value, std::memory_order_relaxed);
    To.Bound.store(Bound, std::memory_order_relaxed);
    To.Count.fetch_add(1, std::memory_order_release);
  }
}

void Session::setProgram(pid_t Pid, const std::string &Exe,
                         const std::string &WhyNot) {
  Program.set(Pid, Exe);
  if (!WhyNot.empty())
    Starts.addProgram(WhyNot);
}

Error Session::openDoor(int TraceFd) {
  if (Error E = Door::open(O, R, Control, Children, TraceFd).moveInto(Visitors))
    return E;
  Idle.setDoor(Visitors.get());
  Visitors->OnCopy = [this] { Symbols.hurry(); };
  return Error::success();
}

void Session::run() {
  for (;;) {
    Starts.greet(Idle.listenerReady());
    pass();
    Starts.addUnconnected();
    samples();
    Watch.take(R.nowNs(), Actions);
    if (Visitors)
      Visitors->take(R.nowNs(), Idle.doorReady());
    Children.removeWritten(R);
    if (mustStop() || (R.failed() && !Attaching) || finished())
      break;
    Idle.wait(Rings.fullest(), Watch.isReading() || Residents.isAwaited());
  }
  if (Before && IsAttached && !Before->isOver())
    O.Warn("the recording ended before memrec knew what lived before");
  Listener.shut();
  Idle.setDoor(nullptr);
  Visitors.reset();
  // Programs that still run go on unrecorded.
  for (ChildProcess &P : Children.recorded()) {
    wire::Control &C = P.State->shared().control();
    C.Settings.Recording.store(0, std::memory_order_relaxed);
    C.Detached.store(1, std::memory_order_release);
  }
  ++Shared.Pass;
  drain(~0ull, nullptr);
  Shared.Uses.finish();
  Residents.finish(R.nowNs());
  for (ChildProcess &P : Children.recorded()) {
    P.State->settleHeld(true);
    P.State->countLosses();
    P.State->endScopes(R.nowNs());
  }
  Watch.finish(Actions);
}

Error Session::takeCensus(const Census &C) {
  Program.setForeign();
  Expected<ChildProcess &> P = Starts.adoptProgram();
  if (!P)
    return P.takeError();
  // All blocks live at one time, so nothing seems to grow.
  uint64_t Tsc = readTsc();
  for (size_t Added = 0; Added != C.Blocks.size();) {
    constexpr size_t AtOnce = 4096;
    Added = P->State->adopt(C, Added, AtOnce, Tsc);
    R.work(Recording::WorkNs);
  }
  P->State->endAdopting();
  Residents.ask(P->Process, RF_Step);
  // A process that ends meanwhile has no sample.
  do {
    Exits.find(readTsc());
    samples();
    usleep(1000);
  } while (Residents.isBusy() && !P->Exit.IsEnding && !TheRequests.Stop);
  Listener.shut();
  Shared.Uses.finish();
  Residents.finish(R.nowNs());
  return Error::success();
}

void Session::pass() {
  ++Shared.Pass;
  uint64_t Clock = readTsc();
  uint64_t Pass = Shared.Pass;
  Rings.startPass();
  for (ChildProcess &P : Children.recorded())
    P.State->shared().control().Heartbeat.store(Pass,
                                                std::memory_order_relaxed);
  // Poll for exits after reading the clock, so every process whose successor
  // appears in this pass is known to have exited.
  Exits.find(Clock);
  Starts.addEndedProgram();
  drain(Clock, nullptr);
  Detours.pass();
  for (ChildProcess &P : Children.recorded()) {
    P.State->settleHeld();
    RingReader::freeRings(P);
    RingReader::takeBackRings(P, false);
  }
  if (Before)
    Before->pass(Clock);
  endProcesses();
}

/// Ends the processes that have ended, each after its last records.
void Session::endProcesses() {
  for (size_t I = 0; I != Children.size(); ++I) {
    ChildProcess &P = Children[I];
    if (!Exits.isDue(P))
      continue;
    if (P.State)
      drain(~0ull, &P);
    if (!P.EndNs)
      Exits.end(P);
  }
}

/// Takes all records up to the clock Limit, of all processes or of Only.
void Session::drain(uint64_t Limit, ChildProcess *Only) {
  Rings.start(Limit);
  Exits.startDrain();
  for (ChildProcess &P : Children.recorded()) {
    if (Only && &P != Only)
      continue;
    Rings.add(P);
    if (P.Exit.IsEnding)
      Exits.expectEnd(P);
  }
  bool Ending = Exits.anyExpected();
  for (;;) {
    ArrayRef<MergedRecord> Records = Rings.next();
    if (Records.empty())
      break;
    Shared.Recent.begin(Records, Rings.states());
    takeBatch(Records, Ending);
    Shared.Recent.end();
    R.flushNames();
    R.work(Recording::WorkNs);
  }
}

void Session::takeBatch(ArrayRef<MergedRecord> Records, bool Ending) {
  const RingOfProcess *Of = Rings.states();
  ProcessState::prefetchFirst(Records, Of);
  // Up to the next end of a process, each process takes its usual records on a
  // fast path.
  size_t Usual = Ending ? 0 : Records.size();
  for (size_t I = 0; I != Records.size();) {
    if (LLVM_UNLIKELY(Usual <= I))
      Usual = I + countBeforeEnd(Records.drop_front(I));
    size_t Taken = 0;
    if (LLVM_LIKELY(Usual != I && !Rings.ringOf(Records[I]).P->EndNs))
      Taken = Of[Records[I].Source].Process->takeFast(
          Records.slice(I, Usual - I), Of);
    if (LLVM_UNLIKELY(!Taken)) {
      takeRecord(Records[I]);
      Taken = 1;
    }
    I += Taken;
  }
}

/// The number of first records before which no process ends.
size_t Session::countBeforeEnd(ArrayRef<MergedRecord> Records) const {
  const auto *Later = find_if(Records, [this](const MergedRecord &M) {
    return M.R.Tsc > Exits.nextEndTsc();
  });
  return size_t(Later - Records.begin());
}

void Session::takeRecord(const MergedRecord &M) {
  const RingReader::BatchRing &S = Rings.ringOf(M);
  if (LLVM_UNLIKELY(M.R.Tsc > Exits.nextEndTsc()))
    Exits.endBefore(M.R.Tsc);
  if (LLVM_UNLIKELY(S.P->EndNs))
    return;
  if (!Execs.take(*S.P, M.R))
    S.P->State->process(M.R, S.Ring);
}

/// With only the last events kept, events are dropped by whole parts of the
/// file. Starts a new part when due: a part starts with a snapshot of all live
/// blocks.
void Session::turnTail() {
  if (any_of(Children.recorded(),
             [](ChildProcess &P) { return P.State->snapshots().active(); }))
    return;
  if (!R.turnTail())
    return;
  for (ChildProcess &P : Children.recorded())
    P.State->snapshots().start();
}

/// Whether a PyTorch layer still waits for its name, at most 250 ms: a written
/// name cannot be changed.
bool Session::waitsForNames(uint64_t NowNs) {
  constexpr uint64_t LongestNs = 250000000;
  return NowNs < NextFlushNs + LongestNs && R.scopePaths().awaitsNames();
}

void Session::reportProgress(uint64_t NowNs) {
  // Twice as long after each report, so that long recordings stay quiet.
  NextProgressNs = 2 * NowNs;
  RecordProgress P;
  P.TimeNs = NowNs;
  P.Bytes = R.bytes();
  for (uint32_t Space = 0; Space < R.stats().numSpaces(); ++Space) {
    TotalStats Of = R.stats().spaceStats(Space);
    if (Of.PeakBytes || Space == 0)
      P.Spaces.push_back(
          {R.heaps().spaceName(Space), Of.LiveBytes, Of.PeakBytes});
  }
  O.Progress(P);
}

/// Periodic work: intervals, snapshots, samples, a flush each second.
void Session::samples() {
  uint64_t Now = R.nowNs();
  if (O.Progress && Now >= NextProgressNs)
    reportProgress(Now);
  Control.update(Now);
  turnTail();
  Symbols.take(MaxAnswers);
  R.flushNames();
  for (ChildProcess &P : Children.recorded()) {
    ProcessState &I = *P.State;
    if (R.stats().isCutting(I.id()))
      R.goOnCutting(I.id());
    else if (R.stats().timeIntervalDue(I.id(), Now))
      R.beginCut(I.id(), R.boundaryNs(Now));
    I.snapshots().advance();
    if (I.takeMarked())
      Samples.requestPss(P);
  }
  Samples.sampleRss(Now);
  Samples.samplePss(Now);
  // Memory that nobody knows yet would count as something else.
  if (!Before || Before->isOver())
    Residents.pass(Now);
  Samples.sampleDevices(Now);
  Samples.sampleOwn(Now);
  if (Now >= NextLossNs) {
    for (ChildProcess &P : Children.recorded()) {
      P.State->countLosses();
      Reports.report(P);
    }
    Reports.addVersions(Versions.take());
    NextLossNs = Now + 100000000;
  }
  // A bounded file judges by what a flush takes when the events must end: so
  // nothing is written between two flushes.
  if (!R.maxBytes() && R.isPartialDue(Now))
    R.writePartial(Now);
  if (Now >= NextFlushNs && !R.isWriting() && !waitsForNames(Now)) {
    for (ChildProcess &P : Children.recorded())
      RingReader::takeBackRings(P, true);
    if (NextFlushNs)
      Clocks.add(Now);
    R.flush();
    if (R.maxBytes() && R.isPartialDue(Now))
      R.writePartial(Now);
    NextFlushNs = Now + 1000000000;
  }
}

/// SIGTERM is for the program, which has it from the sender or from memrec: the
/// recording is complete with the program's end and status. If the program goes
/// on, a second SIGTERM ends the recording. If the program has ended and only
/// its children run, the first SIGTERM ends it.
bool Session::mustStop() {
  if (Attaching)
    return mustDetach();
  if (Signals && !Program.ended())
    Signals->pass(Program.pid());
  unsigned Times = SignalPassing::terminations();
  if (Times > 1 || (Times && Program.ended()))
    TheRequests.Stop = true;
  return TheRequests.Stop;
}

void Session::attachBy(AttachProcess &By, std::optional<TargetMemory> Memory) {
  Program.setForeign();
  if (Memory)
    Before.emplace(O, Children, std::move(*Memory));
  Attaching.emplace(By, Listener.path(), Program.pid(), O.AttachChildren);
}

/// The program's threads run, and fill their rings, until the hooks are out: so
/// the session goes on meanwhile.
bool Session::mustDetach() {
  if (TheRequests.Stop || R.nowNs() >= DetachAtNs || R.failed()) {
    Attaching->end();
    for (ChildProcess &P : Children.recorded())
      P.State->shared().control().Leaves.store(1, std::memory_order_release);
  }
  Attaching->take();
  if (Attaching->takeIsAttached()) {
    if (Before)
      Before->start();
    IsAttached = true;
    if (O.Attached)
      O.Attached(Attaching->attached(), Trace);
  }
  // The time counts from when it is known what lived before.
  if (O.AttachForNs && IsAttached && DetachAtNs == UINT64_MAX &&
      (!Before || Before->isOver()))
    DetachAtNs = R.nowNs() + O.AttachForNs;
  return Attaching->isOver();
}

bool Session::finished() {
  if (!Program.ended())
    return false;
  if (!O.WaitForAll)
    return true;
  return !Children.anyRecorded() && Execs.empty() && !Listener.hasPending() &&
         !Starts.mayAddMore();
}

void Session::finish() {
  for (ChildProcess &P : Children) {
    Symbols.endJit(P);
    if (P.isRecorded())
      Roles.setTitle(P);
  }
  Reports.addVersions(Versions.finish());
  if (!R.failed())
    Symbols.finish(NextFlushNs, Attaching.has_value());
  R.finish();
}
