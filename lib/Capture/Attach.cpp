// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that memrec calls in a program that runs already.
//
// memrec has chosen the calling thread: it is not inside of the allocator, the
// loader or a signal handler, has all signals blocked, and a stack of memrec's.

#include "Wire/Attach.h"

#include "Cuda/Library.h"
#include "Detours/Detours.h"
#include "Host/Exec.h"
#include "Host/LateBinding.h"
#include "Host/Maps.h"
#include "Host/Real.h"
#include "Host/Sandbox.h"
#include "Runtime/Hook.h"
#include "Runtime/Source.h"
#include "Runtime/Symbols.h"

#include <cerrno>
#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using wire::AttachAnswer;
using wire::AttachRequest;
using wire::AttachTask;

/// Of DeepBinding.cpp: each dlopen leads what it has opened to the hooks.
extern "C" __attribute__((visibility("hidden"))) bool memrecBindsLoads;

static void takeVariable(char *To, size_t Room, const char *Name,
                         const char *Value, size_t MaxValue) {
  size_t N = strlen(Name), Bytes = strnlen(Value, MaxValue);
  if (N + 2 + Bytes > Room)
    Bytes = 0;
  memcpy(To, Name, N);
  To[N] = '=';
  memcpy(To + N + 1, Value, Bytes);
  To[N + 1 + Bytes] = 0;
}

/// What the program's environment says to a program that memrec starts.
static void takeVariables(const AttachRequest &R) {
  takeVariable(Kept.Socket, sizeof(Kept.Socket), wire::SocketVar, R.Socket,
               sizeof(R.Socket));
  takeVariable(Kept.Preload, sizeof(Kept.Preload), wire::PreloadVar, R.Preload,
               sizeof(R.Preload));
  for (unsigned I = 0; I != NumInjections; ++I)
    takeVariable(Kept.Injections[I], sizeof(Kept.Injections[I]),
                 InjectionVars[I], "", 0);
  Kept.HasEnvironment = true;
}

/// What else the recorder says to a program that it starts: which libraries
/// NVTX and CUDA's driver load. After connect().
static void takeInjections() {
  char Path[4096];
  const char *Own = Kept.preloadPath();
  bool HasCuda =
      Proc.Ctl->Settings.Cuda && cuda::libraryPath(Path, sizeof(Path));
  for (unsigned I = 0; I != NumInjections; ++I) {
    bool IsNvtx = InjectionVars[I] == wire::NvtxVar;
    takeVariable(Kept.Injections[I], sizeof(Kept.Injections[I]),
                 InjectionVars[I],
                 IsNvtx    ? Own
                 : HasCuda ? Path
                           : "",
                 sizeof(Path));
  }
}

/// Finds the functions behind the hooks before the first hook runs.
static void prepareHooks() {
  static bool IsPrepared;
  if (IsPrepared)
    return;
  findAllocator();
  prepareMaps();
  prepareExec();
  prepareExit();
  prepareSandbox();
  findLateHooks();
  IsPrepared = true;
}

/// Whether the calls lead to the hooks of the recording that is on.
static bool IsBound;

static AttachAnswer bind(AttachRequest &R) {
  BoundCounts Counts;
  IsBound = !Kept.IsLate || bindLate(Counts);
  memrecBindsLoads = Kept.IsLate;
  R.NumBinaries = Counts.Binaries;
  R.NumWords = Counts.Words;
  if (!IsBound)
    return AttachAnswer::NoTurn;
  if (Kept.IsLate)
    forSources(&Source::Bound);
  return AttachAnswer::Done;
}

static AttachAnswer attach(AttachRequest &R) {
  if (Proc.Epoch.load(std::memory_order_acquire)) {
    if (recorderGone(*Proc.Ctl))
      return AttachAnswer::NotReleased;
    bool IsAgain = !IsBound && !strcmp(Kept.socketPath(), R.Socket);
    return IsAgain ? bind(R) : AttachAnswer::IsRecorded;
  }
  if (Proc.Ctl)
    return AttachAnswer::NotReleased;
  // In a program that memrec has started, all calls lead to the hooks already.
  Kept.IsLate = !symbolOfLoaded(nullptr, wire::AttachFunction);
  takeVariables(R);
  Kept.Stopped = Kept.IsSandboxed = Kept.NoFollow = false;
  Proc.State.store(ProcessPhase::New, std::memory_order_release);
  connect();
  if (!Proc.Epoch.load(std::memory_order_acquire))
    return AttachAnswer::NoAnswer;
  takeInjections();
  prepareHooks();
  return bind(R);
}

static void tellPatches(AttachRequest &R) {
  LatePatches All = latePatches();
  R.PatchesAt = uintptr_t(All.Rows);
  R.NumPatches = All.Count;
}

static AttachAnswer prepare(AttachRequest &R) {
  // Rows of an earlier recording may be there.
  if (Kept.IsLate && Proc.Ctl && Proc.Ctl->Settings.Private) {
    planLate();
    tellPatches(R);
  }
  return AttachAnswer::Done;
}

static AttachAnswer detach(AttachRequest &R) {
  tellPatches(R);
  *const_cast<char *>(Kept.socketPath()) = 0;
  turnOff();
  if (Kept.IsLate)
    forSources(&Source::Leave);
  // Threads that end give memory back, and look at no recording any more.
  sys::NoteOwn = nullptr;
  memrecBindsLoads = IsBound = false;
  BoundCounts Counts;
  bool IsDone = !Kept.IsLate || unbindLate(Counts);
  R.NumBinaries = Counts.Binaries;
  R.NumWords = Counts.Words;
  return IsDone ? AttachAnswer::Done : AttachAnswer::NoTurn;
}

static AttachAnswer release() {
  if (Proc.Epoch.load(std::memory_order_acquire))
    return AttachAnswer::IsRecorded;
  forgetRecording();
  return AttachAnswer::Done;
}

static AttachAnswer perform(AttachRequest &R) {
  if (R.MagicValue != wire::Magic || R.VersionValue != wire::Version)
    return AttachAnswer::OtherVersion;
  switch (R.Task) {
  case AttachTask::Attach:
    return attach(R);
  case AttachTask::Detach:
    return detach(R);
  case AttachTask::Release:
    return release();
  case AttachTask::Prepare:
    return prepare(R);
  }
  return AttachAnswer::OtherVersion;
}

static AttachAnswer performQuietly(AttachRequest &R) {
  Quiet Q;
  return perform(R);
}

/// When the call that is under way began; 0: none is. A call may go on in
/// another thread after its memrec was killed, or memrec has given it up.
static std::atomic<uint64_t> BusySinceMs;

/// memrec waits for a call for ten seconds, and for a turn for longer than
/// this.
static bool takeTurn() {
  constexpr uint64_t LongestMs = 20'000;
  uint64_t Now = sys::monotonicMs(), Since = 0;
  if (BusySinceMs.compare_exchange_strong(Since, Now))
    return true;
  return Now - Since > LongestMs &&
         BusySinceMs.compare_exchange_strong(Since, Now);
}

MEMKIT_EXPORT uint32_t memrec_attach(AttachRequest *R) {
  if (!takeTurn())
    return uint32_t(AttachAnswer::NoTurn);
  int Error = errno;
  // Questions go through the ring of the thread, as records of the program do.
  bool Asks = R->Task == AttachTask::Prepare;
  auto Answer = uint32_t(Asks ? perform(*R) : performQuietly(*R));
  errno = Error;
  BusySinceMs.store(0);
  return Answer;
}
