// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repeats the requests of a recorded program.

#include "Player.h"
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace memkit;
using namespace memkit::wire;

static constexpr uint64_t PageBytes = 4096;

// The states of PlayedThread::State.
static constexpr uint32_t Starts = 0, Sleeps = 1, Ends = 2;

//===----------------------------------------------------------------------===//
// Start and end
//===----------------------------------------------------------------------===//

/// Zeros that are resident from now on.
template <class T> T *Player::map(size_t Count) {
  void *At = mmap(nullptr, Count * sizeof(T), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (At == MAP_FAILED)
    finish(ReplayState::NoMemory);
  return static_cast<T *>(At);
}

/// The file of a function.
static const char *fileOf(const void *Function) {
  Dl_info Info;
  return dladdr(Function, &Info) && Info.dli_fname ? Info.dli_fname : "";
}

void Player::setUp() {
  if (Start.Magic != ReplayMagic || !Start.NumThreads ||
      Start.NumThreads > ReplayCommand::MaxThreads)
    finish(ReplayState::Malformed);
  const char *Library = fileOf(reinterpret_cast<void *>(&malloc));
  strncpy(Outcome.Library, Library, sizeof(Outcome.Library) - 1);
  if (Start.NeedsLibrary &&
      !strcmp(Library, fileOf(reinterpret_cast<void *>(&getpid))))
    finish(ReplayState::NoLibrary);
  HasZeroed = !strcmp(Library, fileOf(reinterpret_cast<void *>(&calloc)));
  HasAligned =
      !strcmp(Library, fileOf(reinterpret_cast<void *>(&posix_memalign)));
  Blocks = map<PlayedBlock>(size_t(Start.NumSlots) + 1);
  Threads = map<PlayedThread>(Start.NumThreads);
  Batch = map<ReplayCommand>(BatchCommands);
  Threads[0].IsRunning = true;
  Threads[0].Data = ThreadPointer::get();
  Meter.open();
  Meter.measure();
  BaseBytes = Meter.measure();
  Clock.start();
}

void Player::finish(ReplayState State) {
  Outcome.State = State;
  Outcome.AllocatorNs = Clock.nanoseconds();
  Outcome.NumCalls = Clock.calls();
  size_t Sent = 0;
  while (Sent != sizeof(Outcome)) {
    ssize_t Size =
        write(ReplaySocket, reinterpret_cast<const char *>(&Outcome) + Sent,
              sizeof(Outcome) - Sent);
    if (Size < 0 && errno == EINTR)
      continue;
    if (Size <= 0)
      break;
    Sent += size_t(Size);
  }
  _exit(State == ReplayState::Done ? 0 : 1);
}

void Player::run() {
  setUp();
  play();
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static void awaitChange(std::atomic<uint32_t> &Word, uint32_t From) {
  while (Word.load(std::memory_order_acquire) == From)
    syscall(SYS_futex, &Word, FUTEX_WAIT_PRIVATE, From, nullptr);
}

static void change(std::atomic<uint32_t> &Word, uint32_t To) {
  Word.store(To, std::memory_order_release);
  syscall(SYS_futex, &Word, FUTEX_WAKE_PRIVATE, 1);
}

/// Only begins and ends: the main thread runs the commands between.
void *Player::runThread(void *Of) {
  auto *T = static_cast<PlayedThread *>(Of);
  T->Data = ThreadPointer::get();
  change(T->State, Sleeps);
  awaitChange(T->State, Sleeps);
  return nullptr;
}

void Player::startThread(PlayedThread &T) {
  constexpr size_t StackBytes = 256 << 10;
  pthread_attr_t Attributes;
  pthread_attr_init(&Attributes);
  pthread_attr_setstacksize(&Attributes, StackBytes);
  if (pthread_create(&T.Handle, &Attributes, runThread, &T) != 0)
    finish(ReplayState::NoThread);
  pthread_attr_destroy(&Attributes);
  awaitChange(T.State, Starts);
  T.IsRunning = true;
  ++NumRunning;
  if (NumRunning > Outcome.NumThreads)
    Outcome.NumThreads = NumRunning;
}

/// The commands from now on are those of a thread.
void Player::become(uint32_t Number) {
  PlayedThread &T = Threads[Number];
  if (T.HasEnded)
    finish(ReplayState::Malformed);
  if (!T.IsRunning) {
    Pointer.set(Threads[0].Data);
    startThread(T);
  }
  Pointer.set(T.Data);
  Self = Number;
}

/// Only after its end a thread's arena is free for the next thread.
void Player::endThread() {
  PlayedThread &T = Threads[Self];
  become(0);
  T.HasEnded = true;
  change(T.State, Ends);
  pthread_join(T.Handle, nullptr);
  --NumRunning;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// Reads at least one command.
void Player::refill() {
  auto *Bytes = reinterpret_cast<char *>(Batch);
  size_t Rest = BatchBytes % sizeof(ReplayCommand);
  memcpy(Bytes, Bytes + BatchBytes - Rest, Rest);
  BatchBytes = Rest;
  while (BatchBytes < sizeof(ReplayCommand)) {
    ssize_t Size = read(ReplaySocket, Bytes + BatchBytes,
                        BatchCommands * sizeof(ReplayCommand) - BatchBytes);
    if (Size < 0 && errno == EINTR)
      continue;
    if (Size <= 0)
      finish(ReplayState::Malformed);
    BatchBytes += size_t(Size);
  }
  At = 0;
  End = BatchBytes / sizeof(ReplayCommand);
}

void Player::play() {
  for (;;) {
    if (At == End)
      refill();
    const ReplayCommand &C = Batch[At++];
    if (C.thread() != Self) {
      if (C.thread() >= Start.NumThreads)
        finish(ReplayState::Malformed);
      become(C.thread());
    }
    if (C.Slot > Start.NumSlots)
      finish(ReplayState::Malformed);
    if (C.op() == ReplayOp::EndThread && Self)
      endThread();
    else
      execute(C);
  }
}

void Player::execute(const ReplayCommand &C) {
  __builtin_prefetch(
      &Blocks[Batch[At + PrefetchAhead < End ? At + PrefetchAhead : At - 1]
                  .Slot],
      1);
  switch (C.op()) {
  case ReplayOp::Allocate:
  case ReplayOp::Zeroed:
  case ReplayOp::Aligned:
  case ReplayOp::PageAligned:
    allocate(Blocks[C.Slot], C.op(), C.Bytes);
    break;
  case ReplayOp::Resize:
    resize(Blocks[C.Slot], C.Bytes);
    break;
  case ReplayOp::Free:
    free(Blocks[C.Slot]);
    break;
  case ReplayOp::NotePeak:
    sample();
    Outcome.LivePeakBytes = Meter.measure() - BaseBytes;
    noteResident(Outcome.LivePeakBytes);
    return;
  case ReplayOp::NotePoint:
    notePoint();
    return;
  case ReplayOp::End:
    Outcome.EndBytes = Meter.measure() - BaseBytes;
    noteResident(Outcome.EndBytes);
    finish(ReplayState::Done);
  default:
    finish(ReplayState::Malformed);
  }
  constexpr uint32_t CommandsPerSample = 1 << 14;
  if (Untold >= Start.SampleBytes || ++NumCommands == CommandsPerSample)
    sample();
}

/// Writes to each page of a block that the bytes from Begin to before End are
/// the first of, as the program would.
void Player::touch(char *From, uint64_t Begin, uint64_t End) {
  if (Begin >= End)
    return;
  auto Address = reinterpret_cast<uintptr_t>(From);
  for (uint64_t Offset = Begin; Offset < End;) {
    *const_cast<volatile char *>(From + Offset) = 1;
    Offset += PageBytes - (Address + Offset) % PageBytes;
  }
  Untold += End - Begin;
}

/// Calls the function that the program has called: calloc and aligned requests
/// have ways of their own through most allocators.
void *Player::request(ReplayOp Op, uint64_t Bytes) const {
  if (Op == ReplayOp::Zeroed && HasZeroed)
    return calloc(1, Bytes);
  if ((Op == ReplayOp::Aligned || Op == ReplayOp::PageAligned) && HasAligned) {
    void *Out = nullptr;
    uint64_t Alignment =
        Op == ReplayOp::Aligned ? ReplayAlignment : ReplayPageAlignment;
    return posix_memalign(&Out, Alignment, Bytes) == 0 ? Out : nullptr;
  }
  return malloc(Bytes);
}

void Player::allocate(PlayedBlock &B, ReplayOp Op, uint64_t Bytes) {
  uint64_t Begun = Clock.begin(Bytes);
  auto *Address = static_cast<char *>(request(Op, Bytes));
  Clock.end(Begun);
  B = {Address, Bytes};
  if (!Address) {
    ++Outcome.NumFailed;
    B.Bytes = 0;
    return;
  }
  touch(Address, 0, Bytes);
}

void Player::resize(PlayedBlock &B, uint64_t Bytes) {
  if (!B.Address)
    return allocate(B, ReplayOp::Allocate, Bytes);
  uint64_t Begun = Clock.begin(Bytes > B.Bytes ? Bytes : B.Bytes);
  // realloc() to 0 bytes frees.
  auto *Address = static_cast<char *>(realloc(B.Address, Bytes ? Bytes : 1));
  Clock.end(Begun);
  if (!Address) {
    ++Outcome.NumFailed;
    return;
  }
  uint64_t Before = B.Bytes;
  B = {Address, Bytes};
  touch(Address, Before, Bytes);
}

void Player::free(PlayedBlock &B) {
  uint64_t Begun = Clock.begin(B.Bytes);
  ::free(B.Address);
  Clock.end(Begun);
  B = {};
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

void Player::noteResident(uint64_t Bytes) {
  if (Bytes > INT64_MAX) // less than before the first command
    return;
  if (Bytes > Outcome.PeakBytes)
    Outcome.PeakBytes = Bytes;
  if (Bytes > PointBytes)
    PointBytes = Bytes;
  if (Bytes > Start.MaxResidentBytes)
    finish(ReplayState::TooLarge);
}

/// A value below BaseBytes counts as 0, and the next interval begins with the
/// memory of now.
void Player::notePoint() {
  sample();
  if (Outcome.NumPoints == MaxReplayPoints)
    finish(ReplayState::Malformed);
  Outcome.PointBytes[Outcome.NumPoints++] = PointBytes;
  PointBytes = 0;
  sample();
}

void Player::sample() {
  Untold = 0;
  NumCommands = 0;
  noteResident(Meter.estimate() - BaseBytes);
}
