// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings the capture library into a program that runs, and out of its way.

#include "Attach/Attacher.h"
#include "Attach/BorrowedThread.h"
#include "Attach/CodePatches.h"
#include "Attach/TargetTasks.h"
#include "Support/Failure.h"
#include "Wire/Layout.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <cstddef>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <optional>
#include <sys/syscall.h>

using namespace llvm;
using namespace memkit;

/// How long a thread is searched for, or waited for.
static constexpr uint64_t SearchNs = 10'000'000'000;
/// How long a turn is waited for: the library gives up a call sooner.
static constexpr uint64_t TurnNs = 25'000'000'000;
static constexpr unsigned StopMs = 100, CallMs = 10'000;

static uint64_t clockNs() {
  timespec T = {};
  clock_gettime(CLOCK_MONOTONIC, &T);
  return uint64_t(T.tv_sec) * 1'000'000'000 + uint64_t(T.tv_nsec);
}

static void nap(long Us) {
  timespec T{0, Us * 1000};
  nanosleep(&T, nullptr);
}

//===----------------------------------------------------------------------===//
// A safe thread
//===----------------------------------------------------------------------===//

namespace {
/// A search for a moment that comes again and again: for SearchNs, and on a
/// machine where memrec seldom runs until it has looked often enough.
class MomentSearch {
public:
  bool goesOn() {
    constexpr unsigned FewestTurns = 300, MostTimes = 6;
    ++Turns;
    uint64_t Took = tookNs();
    return Took < SearchNs ||
           (Turns < FewestTurns && Took < MostTimes * SearchNs);
  }
  uint64_t tookNs() const { return clockNs() - Begin; }

private:
  uint64_t Begin = clockNs();
  unsigned Turns = 0;
};
} // namespace

/// Whether a thread other than Tid waits while it loads or drops a library,
/// perhaps for Tid: what is called in Tid waits for it.
static bool doesOtherWait(const TargetMemory &Memory, SafeMoment &Code,
                          ArrayRef<TargetTask> Tasks, pid_t Tid) {
  return any_of(Tasks, [&](const TargetTask &Task) {
    if (Task.Tid == Tid || !Task.MayStop ||
        !Code.mayWaitInLoader(Memory, Task.Tid))
      return false;
    TargetThread T(Task.Tid);
    return T.isHeld() && T.stop(StopMs) && Code.waitsInLoader(Memory, T);
  });
}

/// What a thread does that could not be stopped.
static StringRef unstoppableText(pid_t Pid, pid_t Tid) {
  uint64_t Call = callOf(Pid, Tid);
  // Others that start a process or thread do not wait.
  if (Call == SYS_vfork || Call == SYS_clone || Call == SYS_clone3)
    return "waits until the child that it started with vfork or posix_spawn "
           "runs another program or ends";
  return "waits in the kernel, where it cannot be stopped";
}

/// Tries the threads that wait first: they are safe most often, and miss least.
Error Attacher::inSafeThread(const ThreadUse &Do, AttachResult &R) {
  MomentSearch Search;
  std::optional<NotSafe> Last; // of a thread that was stopped
  pid_t LastTid = Pid;
  for (unsigned Turn = 0; Search.goesOn(); ++Turn) {
    Expected<TargetMemory> Memory = TargetMemory::open(Pid);
    if (!Memory)
      return Memory.takeError();
    Expected<SafeMoment> Code = SafeMoment::create(*Memory);
    if (!Code)
      return Code.takeError();
    std::vector<TargetTask> Tasks = tasksOf(Pid);
    if (Tasks.empty())
      return makeError("has ended");
    if (stateOf(Pid, Pid) == 'T')
      return makeError("is stopped: let it go on first, kill -CONT " +
                       Twine(Pid));
    for (const TargetTask &Task : Tasks) {
      if (!Task.MayStop)
        continue;
      TargetThread T(Task.Tid);
      if (!T.isHeld() || !T.stop(StopMs))
        continue;
      uint64_t Stopped = clockNs(), Took = Search.tookNs();
      Last = Code->judge(*Memory, T);
      LastTid = Task.Tid;
      if (Last == NotSafe::Safe &&
          doesOtherWait(*Memory, *Code, Tasks, Task.Tid))
        Last = NotSafe::OtherInLoader;
      if (Last != NotSafe::Safe)
        continue;
      R.SearchNs = Took;
      Entered = true;
      Error Result = Do(*Memory, *Code, T, R);
      R.PauseNs = std::max(R.PauseNs, clockNs() - Stopped);
      return Result;
    }
    nap(Turn < 100 ? 1'000 : 10'000);
  }
  return makeError("has no thread that could load the library within " +
                   formatTime(Search.tookNs()) + "; thread " + Twine(LastTid) +
                   " " +
                   (Last ? textOf(*Last) : unstoppableText(Pid, LastTid)));
}

//===----------------------------------------------------------------------===//
// Calls of the library
//===----------------------------------------------------------------------===//

/// Writes a text into the room of the calls.
static bool writeText(const TargetMemory &Memory, uint64_t At, StringRef Text) {
  std::vector<uint8_t> Bytes(Text.bytes_begin(), Text.bytes_end());
  Bytes.push_back(0);
  return Memory.write(At, Bytes);
}

static std::string readText(const TargetMemory &Memory, uint64_t At) {
  constexpr size_t MaxText = 512;
  std::vector<uint8_t> Bytes =
      At ? Memory.readUpTo(At, MaxText) : std::vector<uint8_t>();
  return std::string(Bytes.begin(), find(Bytes, 0));
}

/// The address of the library's function, after the library is loaded if it was
/// not.
static Expected<uint64_t> loadLibrary(const TargetMemory &Memory,
                                      const SafeMoment &Code, BorrowedThread &B,
                                      StringRef Path) {
  auto FunctionOf = [](const SafeMoment &Of) {
    return Of.library()->find(wire::AttachFunction)->Start;
  };
  if (Code.library())
    return FunctionOf(Code);
  uint64_t Open = Code.find("dlopen");
  if (!Open)
    Open = Code.find("__libc_dlopen_mode"); // before glibc 2.34
  if (!Open || !writeText(Memory, B.room(), Path))
    return makeError("has no dlopen");
  Expected<uint64_t> Handle =
      B.call(Open, {B.room(), RTLD_NOW | RTLD_LOCAL}, CallMs);
  if (!Handle)
    return Handle.takeError();
  Expected<SafeMoment> Now = SafeMoment::create(Memory);
  if (!Now)
    return Now.takeError();
  if (*Handle && Now->library())
    return FunctionOf(*Now);
  std::string Why;
  if (uint64_t Tell = Code.find("dlerror")) {
    Expected<uint64_t> At = B.call(Tell, {0, 0}, CallMs);
    if (At)
      Why = readText(Memory, *At);
    else
      consumeError(At.takeError());
  }
  return makeError("cannot load the library: " +
                   (Why.empty() ? Path.str() : Why));
}

static wire::AttachRequest makeRequest(wire::AttachTask Task, StringRef Socket,
                                       StringRef Library) {
  wire::AttachRequest Q = {};
  Q.MagicValue = wire::Magic;
  Q.VersionValue = wire::Version;
  Q.Task = Task;
  std::memcpy(Q.Socket, Socket.data(),
              std::min(Socket.size(), sizeof(Q.Socket) - 1));
  std::memcpy(Q.Preload, Library.data(),
              std::min(Library.size(), sizeof(Q.Preload) - 1));
  return Q;
}

/// errno of the thread, whose value the loader may change.
class KeptErrno {
public:
  KeptErrno(const TargetMemory &Memory, const SafeMoment &Code,
            BorrowedThread &B)
      : Memory(Memory) {
    Expected<uint64_t> Is =
        B.call(Code.find("__errno_location"), {0, 0}, CallMs);
    if (Is && Memory.read(*Is, Value))
      At = *Is;
    else if (!Is)
      consumeError(Is.takeError());
  }
  ~KeptErrno() {
    if (At)
      (void)Memory.write(At, ArrayRef(reinterpret_cast<const uint8_t *>(&Value),
                                      sizeof(Value)));
  }
  KeptErrno(const KeptErrno &) = delete;
  KeptErrno &operator=(const KeptErrno &) = delete;

private:
  const TargetMemory &Memory;
  uint64_t At = 0;
  int32_t Value = 0;
};

static Expected<wire::AttachAnswer>
askIn(const TargetMemory &Memory, const SafeMoment &Code, BorrowedThread &B,
      wire::AttachRequest Q, StringRef Library, AttachResult &R) {
  KeptErrno Errno(Memory, Code, B);
  Expected<uint64_t> Function = loadLibrary(Memory, Code, B, Library);
  if (!Function)
    return Function.takeError();
  if (!Memory.write(B.room(),
                    ArrayRef(reinterpret_cast<const uint8_t *>(&Q), sizeof(Q))))
    return makeError("has ended");
  Expected<uint64_t> Answer = B.call(*Function, {B.room(), 0}, CallMs);
  if (!Answer)
    return Answer.takeError();
  if (Memory.read(B.room(), Q)) {
    if (Q.Task != wire::AttachTask::Prepare) {
      R.Words = Q.NumWords;
      R.Binaries = Q.NumBinaries;
    }
    R.PatchesAt = Q.PatchesAt;
    R.NumPatches = Q.NumPatches;
  }
  return wire::AttachAnswer(uint32_t(*Answer));
}

Expected<wire::AttachAnswer> Attacher::ask(wire::AttachTask Task,
                                           StringRef Socket, AttachResult &R) {
  wire::AttachRequest Q = makeRequest(Task, Socket, Library);
  wire::AttachAnswer Answer = wire::AttachAnswer::Done;
  bool MayTryAgain = false;
  auto Do = [&](const TargetMemory &Memory, const SafeMoment &Code,
                TargetThread &T, AttachResult &To) -> Error {
    // After an exec there is nothing to undo.
    if (Task != wire::AttachTask::Attach && !Code.library())
      return Error::success();
    BorrowedThread B(Memory, Code, T);
    Error E = B.begin();
    MayTryAgain = B.mayTryAgain();
    if (!E)
      E = askIn(Memory, Code, B, Q, Library, To).moveInto(Answer);
    B.end();
    return E;
  };
  // The last call of a memrec that was killed may still go on.
  uint64_t Begin = clockNs();
  for (;;) {
    Error E = inSafeThread(Do, R);
    bool MayWait = clockNs() - Begin < TurnNs;
    if (E && !(MayTryAgain && MayWait))
      return std::move(E);
    if (!E && (Answer != wire::AttachAnswer::NoTurn || !MayWait))
      return Answer;
    consumeError(std::move(E));
    MayTryAgain = false;
    nap(50'000);
  }
}

//===----------------------------------------------------------------------===//
// Attach and detach
//===----------------------------------------------------------------------===//

/// Waits until each thread has been seen outside of the library: only one
/// stands at a time. A thread that begins now does not enter the library.
Error Attacher::leaveLibrary() {
  MomentSearch Search;
  DenseSet<pid_t> Outside;
  while (Search.goesOn()) {
    Expected<TargetMemory> Memory = TargetMemory::open(Pid);
    if (!Memory)
      return Memory.takeError();
    Expected<SafeMoment> Code = SafeMoment::create(*Memory);
    if (!Code)
      return Code.takeError();
    bool AllOutside = true;
    for (const TargetTask &Task : tasksOf(Pid)) {
      if (Outside.contains(Task.Tid))
        continue;
      TargetThread T(Task.Tid);
      // A thread that does not stop is in the kernel, and may be in a hook.
      if (T.isHeld() && T.stop(StopMs) && !Code->isInLibrary(*Memory, T))
        Outside.insert(Task.Tid);
      else if (!Task.isGone())
        AllOutside = false;
    }
    if (AllOutside)
      return Error::success();
    nap(1'000);
  }
  return makeError("has a thread that stays in memkit's library");
}

/// Restores the functions of private allocators.
static Error leavePrivate(pid_t Pid, AttachResult &R) {
  Expected<TargetMemory> Memory = TargetMemory::open(Pid);
  if (!Memory)
    return Memory.takeError();
  Expected<CodePatches::PatchResult> P =
      CodePatches(*Memory, R.PatchesAt, R.NumPatches).restore();
  if (!P)
    return P.takeError();
  R.Functions = P->Functions;
  R.AllStoodNs = P->StandNs;
  return Error::success();
}

/// Leads the functions of private allocators to the library. What fails leaves
/// their blocks unrecorded, and no more.
void Attacher::leadPrivate(AttachResult &R) {
  Expected<wire::AttachAnswer> Answer = ask(wire::AttachTask::Prepare, "", R);
  Expected<TargetMemory> Memory = TargetMemory::open(Pid);
  if (Answer && *Answer == wire::AttachAnswer::Done && Memory) {
    Expected<CodePatches::PatchResult> P =
        CodePatches(*Memory, R.PatchesAt, R.NumPatches).apply();
    if (P) {
      R.Functions = P->Functions;
      R.AllStoodNs = P->StandNs;
    }
    R.HasFailedFunctions = !P;
    consumeError(P.takeError());
  }
  consumeError(Answer.takeError());
  consumeError(Memory.takeError());
}

/// Ends a recording in the process, and gives its memory back.
Error Attacher::clean(AttachResult &R) {
  Expected<wire::AttachAnswer> Left = ask(wire::AttachTask::Detach, "", R);
  if (!Left)
    return Left.takeError();
  if (*Left != wire::AttachAnswer::Done)
    return makeError("does not give memkit's hooks back");
  if (Error E = leavePrivate(Pid, R))
    return E;
  AttachResult Second;
  if (Error E = leaveLibrary())
    return E;
  Expected<wire::AttachAnswer> Released =
      ask(wire::AttachTask::Release, "", Second);
  R.PauseNs = std::max(R.PauseNs, Second.PauseNs);
  return Released.takeError();
}

Expected<AttachResult> Attacher::detach() {
  AttachResult R;
  if (Error E = clean(R))
    return std::move(E);
  return R;
}

static Error explainAnswer(wire::AttachAnswer Answer) {
  switch (Answer) {
  case wire::AttachAnswer::Done:
    return Error::success();
  case wire::AttachAnswer::OtherVersion:
    return makeError("has the library of another version of memkit");
  case wire::AttachAnswer::IsRecorded:
    return makeError("is recorded by another memrec already");
  case wire::AttachAnswer::NotReleased:
    return makeError("has a thread that stays in memkit's library");
  case wire::AttachAnswer::NoAnswer:
    return makeError("cannot reach memrec's socket");
  case wire::AttachAnswer::NoTurn:
    return makeError("has a thread that changes its binaries");
  }
  return makeError("has the library of another version of memkit");
}

Expected<AttachResult> Attacher::attach(StringRef Socket) {
  AttachResult R;
  Expected<wire::AttachAnswer> Answer =
      ask(wire::AttachTask::Attach, Socket, R);
  if (Answer && *Answer == wire::AttachAnswer::NotReleased) {
    // Of a recorder that was killed.
    AttachResult Cleaned;
    if (Error E = clean(Cleaned))
      return std::move(E);
    Answer = ask(wire::AttachTask::Attach, Socket, R);
  }
  if (!Answer)
    return Answer.takeError();
  Recorded = *Answer == wire::AttachAnswer::IsRecorded;
  if (Error E = explainAnswer(*Answer))
    return std::move(E);
  leadPrivate(R);
  return R;
}
