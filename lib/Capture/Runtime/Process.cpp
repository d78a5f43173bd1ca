// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a process.

#include "Process.h"

#include "OwnMaps.h"
#include "Source.h"

#include <cstring>
#include <link.h>
#include <unistd.h>

using namespace memkit;
using namespace memkit::capture;

/// All zeros: fork cannot wipe pages of a file.
constinit ThisProcess memkit::capture::Proc;
constinit Inherited memkit::capture::Kept{};
/// Page aligned as the states, beside which the linker puts it.
static constinit OwnMaps RecordingMaps;

void capture::turnOff() {
  Proc.State.store(ProcessPhase::Off, std::memory_order_release);
  Proc.Epoch.store(0, std::memory_order_release);
}

bool capture::recorderGone(const wire::Control &C) {
  constexpr uint32_t OwnerDied = 0x40000000;
  auto *Word = reinterpret_cast<const std::atomic<uint32_t> *>(C.RecorderLock);
  return C.Detached.load(std::memory_order_acquire) ||
         (Word->load(std::memory_order_acquire) & OwnerDied);
}

bool capture::recorderStands(const wire::Control &C) {
  return C.DeadBeat.load(std::memory_order_relaxed) ==
         C.Heartbeat.load(std::memory_order_acquire) + 1;
}

void capture::noteRecorderStands(wire::Control &C) {
  C.DeadBeat.store(C.Heartbeat.load(std::memory_order_acquire) + 1,
                   std::memory_order_relaxed);
}

static bool fits(uint64_t Offset, uint64_t Count, uint64_t Bytes,
                 uint64_t Size) {
  return Offset % wire::PieceBytes == 0 && Offset <= Size && Count > 0 &&
         Count <= (Size - Offset) / Bytes;
}

/// Checks the recorder's values, so that none can make this process touch
/// unmapped memory.
static bool regionsFit(const wire::Regions &R, uint64_t Size) {
  auto Whole = [&](uint64_t Offset, uint64_t Count, uint64_t Bytes) {
    // Pieces are mapped as a whole.
    uint64_t All = (Count * Bytes + wire::PieceBytes - 1) / wire::PieceBytes;
    return fits(Offset, Count, Bytes, Size) &&
           fits(Offset, All, wire::PieceBytes, Size);
  };
  return fits(R.RingHeaders, R.MaxRings, sizeof(wire::RingHeader), Size) &&
         Whole(R.Rings, R.MaxRings, wire::RingBytes) &&
         Whole(R.Nodes, R.MaxNodes, sizeof(wire::Node)) &&
         Whole(R.Codes, R.MaxCodes, sizeof(wire::Code)) &&
         Whole(R.Binaries, R.MaxBinaries, sizeof(wire::MappedBinary)) &&
         Whole(R.Functions, R.MaxFunctions, sizeof(wire::PythonFunction)) &&
         Whole(R.Texts, R.TextBytes, 1);
}

/// Tells the recorder which memory is the library's: [P, P + Bytes) from now
/// on; with Bytes 0 no more. Without a free place the memory is not noted.
static void noteOwn(void *P, size_t Bytes) {
  // A child of fork has no memory of the recorder until it is connected.
  if (!Proc.Ctl)
    return;
  auto Begin = reinterpret_cast<uint64_t>(P);
  for (wire::OwnRange &R : Proc.Ctl->Own) {
    uint64_t Of = Bytes ? 0 : Begin;
    if (R.Begin.load(std::memory_order_relaxed) != Of)
      continue;
    if (!Bytes) {
      R.Bytes.store(0, std::memory_order_relaxed);
      R.Begin.store(0, std::memory_order_release);
      return;
    }
    if (R.Begin.compare_exchange_strong(Of, Begin, std::memory_order_acquire)) {
      R.Bytes.store(Bytes, std::memory_order_release);
      return;
    }
  }
}

static void *mapShared(int Fd, uint64_t Offset, uint64_t Bytes) {
  void *P = sys::map(Bytes, MAP_SHARED, Fd, Offset);
  if (P)
    sys::keepFromFork(P, Bytes);
  return P;
}

/// Maps the memory of Runtime. \p R: the checked regions.
static bool mapAll(int Fd, wire::Regions &R) {
  uint64_t Size = uint64_t(sys::call(SYS_lseek, Fd, 0, SEEK_END));
  if (sys::failed(long(Size)) || Size < wire::ControlBytes)
    return false;
  auto *C = static_cast<wire::Control *>(
      sys::map(wire::ControlBytes, MAP_SHARED, Fd, 0)); // kept at fork
  if (!C)
    return false;
  Proc.Ctl = C;
  R = C->Regions;
  if (C->MagicValue != wire::Magic || C->VersionValue != wire::Version ||
      !regionsFit(R, Size))
    return false;
  sys::NoteOwn = noteOwn;
  Proc.MaxRings = R.MaxRings < MaxRingNumber ? R.MaxRings : MaxRingNumber;
  Proc.Headers = static_cast<wire::RingHeader *>(
      mapShared(Fd, R.RingHeaders, Proc.MaxRings * sizeof(wire::RingHeader)));
  return Proc.Headers &&
         Proc.Rings.begin(Fd, R.Rings, Proc.MaxRings * wire::RingRecords) &&
         Proc.Names.begin(Fd, R, *C);
}

static void applySettings(const wire::Settings &S) {
  Proc.MaxDepth = S.MaxDepth < 2 ? 2 : S.MaxDepth;
  Proc.WaitMs = S.OnFullMode == uint32_t(wire::OnFull::Wait) ? S.WaitMs : 0;
  Proc.SomeUnknown = Kept.Stopped;
}

/// Other threads may load and unload libraries while the library connects to
/// its recorder late, and a callback of dl_iterate_phdr holds the lock of the
/// loader's list.
static void callConnected() {
  if (!Kept.IsLate)
    return forSources(&Source::Connected);
  auto OnFirst = [](dl_phdr_info *, size_t, void *) {
    forSources(&Source::Connected);
    return 1;
  };
  dl_iterate_phdr(OnFirst, nullptr);
}

static bool connectSources(int Fd, const wire::Regions &R) {
  for (const Source *const *S = Sources; *S; ++S)
    if ((*S)->Connect && !(*S)->Connect(Fd, R, *Proc.Ctl))
      return false;
  callConnected();
  return true;
}

/// Makes fork fill \p State with zeros in the child.
static bool wipeOnFork(void *State, size_t Bytes) {
  return !sys::failed(
      sys::call(SYS_madvise, long(State), long(Bytes), MADV_WIPEONFORK));
}

/// The linker puts what has the alignment of a page side by side
/// (CMakeLists.txt). So all states are nearly always one range: one system
/// call, and one mapping instead of ten.
static bool wipeAllOnFork() {
  uintptr_t Start = uintptr_t(&Proc), End = Start + sizeof(Proc);
  size_t Bytes = sizeof(Proc) + sizeof(RecordingMaps);
  auto Maps = uintptr_t(&RecordingMaps);
  Start = Maps < Start ? Maps : Start;
  End = Maps + sizeof(RecordingMaps) > End ? Maps + sizeof(RecordingMaps) : End;
  for (const Source *const *S = Sources; *S; ++S) {
    if (!(*S)->State)
      continue;
    auto From = uintptr_t((*S)->State), To = From + (*S)->StateBytes;
    Start = From < Start ? From : Start;
    End = To > End ? To : End;
    Bytes += (*S)->StateBytes;
  }
  if (End - Start == Bytes)
    return wipeOnFork(reinterpret_cast<void *>(Start), Bytes);
  for (const Source *const *S = Sources; *S; ++S)
    if ((*S)->State && !wipeOnFork((*S)->State, (*S)->StateBytes))
      return false;
  return wipeOnFork(&Proc, sizeof(Proc)) &&
         wipeOnFork(&RecordingMaps, sizeof(RecordingMaps));
}

static void noteRecordings(void *P, size_t Bytes) {
  if (Bytes)
    RecordingMaps.add(P, Bytes);
  else
    RecordingMaps.drop(P);
}

void capture::forgetRecording() {
  RecordingMaps.unmapAll();
  if (Proc.Ctl)
    sys::call(SYS_munmap, long(Proc.Ctl), wire::ControlBytes);
  for (const Source *const *S = Sources; *S; ++S)
    if ((*S)->State)
      memset((*S)->State, 0, (*S)->StateBytes);
  // A call through an old pointer looks at State and Epoch alone.
  memset(static_cast<void *>(&Proc.Ctl), 0,
         sizeof(Proc) - (uintptr_t(&Proc.Ctl) - uintptr_t(&Proc)));
  Kept.Control = nullptr;
  Kept.Process = 0;
}

static bool tryConnect() {
  if (!wipeAllOnFork())
    return false;
  sys::NoteRecordings = noteRecordings;
  forSources(&Source::Prepare);
  wire::Control *Parents = Kept.Control;
  if (Parents && (recorderGone(*Parents) || recorderStands(*Parents)))
    return false;
  wire::Welcome W;
  uint64_t Begun = sys::monotonicMs();
  int Fd = greet(W);
  if (Fd < 0) {
    if (Parents && sys::monotonicMs() - Begun >= GreetMs)
      noteRecorderStands(*Parents);
    return false;
  }
  wire::Regions R;
  bool Connected = mapAll(Fd, R);
  if (Connected) {
    applySettings(Proc.Ctl->Settings);
    Connected = connectSources(Fd, R);
  }
  sys::close(Fd);
  if (!Connected)
    return false;
  if (Parents)
    sys::unmap(Parents, wire::ControlBytes);
  Kept.Control = Proc.Ctl;
  Proc.Pid = sys::getpid();
  Proc.Ctl->Pid.store(Proc.Pid, std::memory_order_release);
  if (Kept.Stopped)
    Proc.Ctl->Settings.Recording.fetch_and(~uint32_t(wire::RB_On),
                                           std::memory_order_relaxed);
  Kept.NoFollow = !Proc.Ctl->Settings.Follow;
  Kept.Process = W.Process;
  return true;
}

void capture::connect() {
  if (!readEnvironment())
    return;
  ProcessPhase P = ProcessPhase::New;
  if (!Proc.State.compare_exchange_strong(P, ProcessPhase::Greeting,
                                          std::memory_order_acq_rel)) {
    // Another thread is connecting; its timeouts bound the wait.
    while (Proc.State.load(std::memory_order_acquire) == ProcessPhase::Greeting)
      sys::sleepMicroseconds(100);
    return;
  }
  bool Wanted = *Kept.socketPath() && !Kept.IsSandboxed &&
                !(Kept.NoFollow && Kept.Process);
  if (!Wanted || !tryConnect()) {
    turnOff();
    return;
  }
  Proc.Epoch.store(++Kept.Epochs, std::memory_order_release);
  Proc.State.store(ProcessPhase::Active, std::memory_order_release);
}
