// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread may call a function for memrec, and when.

#include "Attach/SafeMoment.h"
#include "Attach/TargetTasks.h"
#include "Shared/Preloadable.h"
#include "Shared/ProcFs.h"
#include "Support/Failure.h"
#include "Wire/Attach.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include <cstdio>
#include <cstring>
#include <linux/futex.h>
#include <sys/syscall.h>

using namespace llvm;
using namespace memkit;

StringRef memkit::textOf(NotSafe Why) {
  switch (Why) {
  case NotSafe::Safe:
    return "is safe";
  case NotSafe::InAllocator:
    return "allocates memory";
  case NotSafe::InLoader:
    return "is in the dynamic loader";
  case NotSafe::InLibc:
    return "is in libc";
  case NotSafe::InSignal:
    return "runs a signal handler";
  case NotSafe::InKernel:
    return "is in a system call";
  case NotSafe::InSequence:
    return "is in a restartable sequence";
  case NotSafe::InLibrary:
    return "is in memkit's library";
  case NotSafe::NoStack:
    return "has no readable stack";
  case NotSafe::NotNative:
    return "runs 32-bit code";
  case NotSafe::MayAllocate:
    return "may be in the executable's own malloc";
  case NotSafe::OtherInLoader:
    return "may be waited for in a constructor or destructor of a library";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Functions of an allocator, and of libc those that hold its locks or the
/// loader's, or change the process.
static bool isUnsafe(StringRef Name) {
  static const StringSet<> Names = {"malloc",
                                    "free",
                                    "calloc",
                                    "realloc",
                                    "reallocarray",
                                    "memalign",
                                    "posix_memalign",
                                    "aligned_alloc",
                                    "valloc",
                                    "pvalloc",
                                    "cfree",
                                    "malloc_trim",
                                    "malloc_info",
                                    "malloc_stats",
                                    "mallinfo",
                                    "mallinfo2",
                                    "malloc_usable_size",
                                    "mallopt",
                                    "fork",
                                    "_Fork",
                                    "vfork",
                                    "__libc_fork",
                                    "posix_spawn",
                                    "posix_spawnp",
                                    "system",
                                    "popen",
                                    "clone",
                                    "exit",
                                    "quick_exit",
                                    "_exit",
                                    "pthread_create",
                                    "pthread_exit",
                                    "thrd_create",
                                    "dlopen",
                                    "dlclose",
                                    "dlsym",
                                    "dlvsym",
                                    "dlmopen",
                                    "dladdr",
                                    "dladdr1",
                                    "dlinfo",
                                    "dlerror",
                                    "dl_iterate_phdr",
                                    "_dl_find_object",
                                    "__libc_dlopen_mode",
                                    "__libc_dlsym",
                                    "__libc_dlclose",
                                    "__libc_freeres",
                                    "__libc_start_call_main"};
  return Names.contains(Name) || Name.starts_with("_Znw") ||
         Name.starts_with("_Zna") || Name.starts_with("_Zdl") ||
         Name.starts_with("_Zda");
}

/// Functions of libc in which a thread may wait for the program.
static bool mayWaitIn(StringRef Name) {
  return Name.starts_with("pthread_cond_") || Name.starts_with("sem_") ||
         Name.starts_with("pthread_mutex_") ||
         Name.starts_with("pthread_rwlock_") ||
         Name.starts_with("pthread_barrier_") ||
         StringSwitch<bool>(Name)
             .Cases("pthread_join", "pthread_timedjoin_np",
                    "pthread_clockjoin_np", "thrd_join", true)
             .Cases("cnd_wait", "cnd_timedwait", "mtx_lock", true)
             .Cases("nanosleep", "clock_nanosleep", "usleep", "sleep", "pause",
                    "__nanosleep", "__clock_nanosleep", true)
             .Cases("read", "__read", "write", "__write", "readv", "writev",
                    true)
             .Cases("poll", "__poll", "ppoll", "select", "__select", "pselect",
                    true)
             .Cases("epoll_wait", "epoll_pwait", "epoll_pwait2", true)
             .Cases("recv", "__recv", "recvfrom", "recvmsg", "__recvmsg", true)
             .Cases("accept", "accept4", "__accept", "connect", "__connect",
                    true)
             .Cases("wait", "waitpid", "__waitpid", "wait4", "__wait4",
                    "waitid", true)
             .Cases("sigwait", "sigwaitinfo", "sigtimedwait", "__sigtimedwait",
                    "__sigwaitinfo", "syscall", true)
             .Cases("semop", "semtimedop", "__semtimedop", "msgrcv", "msgsnd",
                    "__libc_msgrcv", "__libc_msgsnd", true)
             .Default(false);
}

/// Functions of mayWaitIn() in which a thread may wait for a lock, as that of
/// an allocator.
static bool mayWaitForLock(StringRef Name) {
  return Name.starts_with("pthread_mutex_") ||
         Name.starts_with("pthread_rwlock_") || Name == "mtx_lock" ||
         Name == "syscall";
}

/// Calls that a thread may be taken out of, and that go on afterwards.
static bool isInterruptible(uint64_t Number) {
  switch (Number) {
  case SYS_read:
  case SYS_write:
  case SYS_readv:
  case SYS_writev:
  case SYS_poll:
  case SYS_ppoll:
  case SYS_select:
  case SYS_pselect6:
  case SYS_nanosleep:
  case SYS_clock_nanosleep:
  case SYS_futex:
  case SYS_epoll_wait:
  case SYS_epoll_pwait:
  case SYS_accept:
  case SYS_accept4:
  case SYS_connect:
  case SYS_recvfrom:
  case SYS_recvmsg:
  case SYS_pause:
  case SYS_wait4:
  case SYS_waitid:
  case SYS_restart_syscall:
  case SYS_rt_sigtimedwait:
  case SYS_semop:
  case SYS_semtimedop:
  case SYS_msgrcv:
  case SYS_msgsnd:
  case SYS_io_getevents:
  case SYS_io_pgetevents:
  case SYS_epoll_pwait2:
    return true;
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// The program's code
//===----------------------------------------------------------------------===//

static bool isLoaderName(StringRef File) {
  return File.starts_with("ld-linux") || File.starts_with("ld-2.");
}
static bool isLibcName(StringRef File) {
  return File.starts_with("libc.so.6") || File.starts_with("libc-2.");
}
/// Before glibc 2.34.
static bool isThreadsName(StringRef File) {
  return File.starts_with("libpthread.so.0") ||
         File.starts_with("libpthread-2.");
}

/// The first mapping of a file; none: it is not mapped.
template <typename Fn>
static std::optional<size_t> findFile(ArrayRef<TargetMap> Maps, Fn Is) {
  for (size_t I = 0; I != Maps.size(); ++I)
    if (!Maps[I].Path.empty() && Is(sys::path::filename(Maps[I].Path)))
      return I;
  return std::nullopt;
}

Expected<SafeMoment> SafeMoment::create(const TargetMemory &Memory) {
  std::vector<TargetMap> Maps = Memory.maps();
  std::optional<size_t> Loader = findFile(Maps, isLoaderName),
                        Libc = findFile(Maps, isLibcName),
                        Threads = findFile(Maps, isThreadsName);
  if (any_of(Maps, [](const TargetMap &M) {
        return StringRef(M.Path).contains("musl");
      }))
    return makeError("runs with musl's libc, and memrec's library needs glibc");
  if (!Loader || !Libc)
    return makeError("is linked statically, or runs without glibc");
  SafeMoment S(TargetStack(Memory.pid(), Maps),
               TargetBinary(Memory, Maps, *Libc),
               TargetBinary(Memory, Maps, *Loader));
  StringSet<> Seen;
  for (size_t I = 0; I != Maps.size(); ++I) {
    const TargetMap &M = Maps[I];
    if (M.Path == "[vdso]") {
      S.KernelStart = M.Start;
      S.KernelEnd = M.End;
    }
    if (M.Path.empty() || M.Path[0] != '/' || !Seen.insert(M.Path).second ||
        M.Path == S.Libc.path() || M.Path == S.Loader.path())
      continue;
    if (I == Threads) {
      S.Threads = TargetBinary(Memory, Maps, I);
      S.Threads->readAll(Memory);
      continue;
    }
    TargetBinary B(Memory, Maps, I);
    if (!B.exports(Memory, "malloc"))
      continue;
    B.readAll(Memory);
    for (const TargetFunction &F : B.functions())
      if (std::string Is = sanitizerOf(F.Name); !Is.empty())
        S.Sanitizer = std::move(Is);
    if (B.find(wire::AttachFunction))
      S.Library = std::move(B);
    else if (M.Path == procfs::exePath(Memory.pid()))
      S.OwnMalloc = std::move(B);
    else
      S.Allocators.push_back(std::move(B));
  }
  S.Libc.readAll(Memory);
  S.Loader.readAll(Memory);
  S.SignalReturn =
      S.Libc.findCode(StringRef("\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9));
  // syscall; cmp $-4095, %rax; jae; ret.
  S.CallAt = S.Libc.findCode(
      StringRef("\x0f\x05\x48\x3d\x01\xf0\xff\xff\x73\x01\xc3", 11));
  if (!S.SignalReturn || !S.CallAt)
    return makeError("has a libc that memrec does not know");
  S.Maps = std::move(Maps);
  return S;
}

uint64_t SafeMoment::find(StringRef Name) const {
  for (const TargetBinary *B : {&Libc, &Loader})
    if (const TargetFunction *F = B->find(Name))
      return F->Start;
  return 0;
}

const TargetBinary &SafeMoment::libcAt(uint64_t Address) const {
  return Threads && Threads->has(Address) ? *Threads : Libc;
}

bool SafeMoment::isInLibc(uint64_t Address) const {
  return libcAt(Address).has(Address);
}

const TargetBinary *SafeMoment::allocatorAt(uint64_t Address) const {
  if (OwnMalloc && OwnMalloc->has(Address))
    return &*OwnMalloc;
  for (const TargetBinary &B : Allocators)
    if (B.has(Address))
      return &B;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Judging
//===----------------------------------------------------------------------===//

/// The words of the stack outwards, as far as frames can matter.
std::vector<uint64_t> SafeMoment::wordsOf(const TargetMemory &Memory,
                                          uint64_t From) const {
  constexpr uint64_t MaxBytes = 1 << 20;
  From &= ~uint64_t(7);
  std::vector<TargetMap> Now;
  const TargetMap *M = mapAt(Maps, From);
  if (!M) {
    Now = Memory.maps();
    M = mapAt(Now, From);
  }
  if (!M)
    return {};
  std::vector<uint8_t> Bytes =
      Memory.readUpTo(From, std::min(M->End - From, MaxBytes));
  std::vector<uint64_t> Words(Bytes.size() / sizeof(uint64_t));
  std::memcpy(Words.data(), Bytes.data(), Words.size() * sizeof(uint64_t));
  return Words;
}

/// Whether the word is the first of a signal's frame. A program that has set a
/// handler may have left the same address in a hole of its stack.
static bool isSignalFrame(ArrayRef<uint64_t> Words, size_t At) {
  // In words from the frame's start: the context's link, the code segment.
  constexpr size_t Link = 2, Code = 24;
  constexpr uint64_t NativeCode = 0x33;
  return At + Code < Words.size() && !Words[At + Link] &&
         (Words[At + Code] & 0xffff) == NativeCode;
}

/// What may be calls, in the code that matters.
std::vector<uint64_t> SafeMoment::callsOn(ArrayRef<uint64_t> Words) const {
  std::vector<uint64_t> Calls;
  auto Add = [&Calls](const TargetBinary &B, uint64_t Word) {
    if (B.has(Word) && B.isAfterCall(Word))
      Calls.push_back(Word - 1);
  };
  for (uint64_t W : Words) {
    Add(Loader, W);
    Add(Libc, W);
    if (Threads)
      Add(*Threads, W);
    if (Library)
      Add(*Library, W);
    if (const TargetBinary *B = allocatorAt(W))
      Add(*B, W);
  }
  return Calls;
}

/// The code of all frames, the innermost first; none: the stack is not
/// readable.
std::optional<std::vector<uint64_t>>
SafeMoment::codeOf(const TargetMemory &Memory, const TargetRegisters &R,
                   bool &HasSignal) {
  TargetFrames Frames = Stacks.walk(Memory, R);
  HasSignal = Frames.HasSignal;
  if (Frames.IsComplete || HasSignal)
    return std::move(Frames.Code);
  std::vector<uint64_t> Words = wordsOf(Memory, Frames.StackAt);
  if (Words.empty())
    return std::nullopt;
  for (size_t I = 0; I != Words.size(); ++I)
    HasSignal |= Words[I] == SignalReturn && isSignalFrame(Words, I);
  append_range(Frames.Code, callsOn(Words));
  return std::move(Frames.Code);
}

static bool isUnsafeIn(const TargetBinary &B, uint64_t Address) {
  const TargetFunction *F = B.functionAt(Address);
  return F && isUnsafe(F->Name);
}

/// A library that exports malloc is an allocator: all of its code is unsafe.
/// Its functions jump to one another, so malloc may have no frame. In libc and
/// in an executable only some functions matter.
bool SafeMoment::isUnsafeAt(uint64_t Address) const {
  if (isInLibc(Address))
    return isUnsafeIn(libcAt(Address), Address);
  if (OwnMalloc && OwnMalloc->has(Address))
    return isUnsafeIn(*OwnMalloc, Address);
  return allocatorAt(Address);
}

NotSafe SafeMoment::judgeCode(ArrayRef<uint64_t> Code) const {
  for (uint64_t At : Code) {
    if (Loader.has(At))
      return NotSafe::InLoader;
    if (Library && Library->has(At))
      return NotSafe::InLibrary;
    if (isUnsafeAt(At))
      return NotSafe::InAllocator;
  }
  return NotSafe::Safe;
}

/// Whether a thread in libc is in a call that waits for the program: the first
/// exported function on its stack is known.
bool SafeMoment::isBlockedWell(ArrayRef<uint64_t> Code) const {
  for (uint64_t At : Code)
    if (const TargetFunction *F = libcAt(At).functionAt(At))
      return mayWaitIn(F->Name) && !(OwnMalloc && mayWaitForLock(F->Name));
  return false;
}

/// Whether the thread waits in libc for another one to end. pthread_join jumps
/// to an inner function, so it has no frame. The kernel wakes the thread, at
/// the place where the other one's id stands until it ends.
static bool waitsForThread(pid_t Pid, const TargetRegisters &R) {
  constexpr uint64_t Operation = ~uint64_t(FUTEX_CLOCK_REALTIME);
  if (R.orig_rax != SYS_futex || ((R.rsi & Operation) != FUTEX_WAIT &&
                                  (R.rsi & Operation) != FUTEX_WAIT_BITSET))
    return false;
  auto Tid = pid_t(R.rdx);
  return Tid > 0 && uint32_t(R.rdx) == R.rdx && stateOf(Pid, Tid) != 0;
}

NotSafe SafeMoment::judge(const TargetMemory &Memory, const TargetThread &T) {
  constexpr uint64_t NativeCode = 0x33;
  TargetRegisters R;
  if (!T.get(R) || R.cs != NativeCode)
    return NotSafe::NotNative;
  bool IsInCall = int64_t(R.orig_rax) >= 0;
  if (IsInCall && !isInterruptible(R.orig_rax))
    return NotSafe::InKernel;
  if (uint64_t At = T.restartableWord(), Is = 0;
      At && Memory.read(At, Is) && Is)
    return NotSafe::InSequence;
  if (R.rip >= KernelStart && R.rip < KernelEnd)
    return NotSafe::InLibc;
  bool HasSignal = false;
  std::optional<std::vector<uint64_t>> Code = codeOf(Memory, R, HasSignal);
  if (!Code)
    return NotSafe::NoStack;
  if (HasSignal)
    return NotSafe::InSignal;
  if (NotSafe Is = judgeCode(*Code); Is != NotSafe::Safe)
    return Is;
  if (isInLibc(R.rip))
    return IsInCall && (isBlockedWell(*Code) || waitsForThread(Memory.pid(), R))
               ? NotSafe::Safe
               : NotSafe::InLibc;
  return OwnMalloc ? NotSafe::MayAllocate : NotSafe::Safe;
}

/// Whether a thread that holds the loader's lock may wait for another one in
/// the call: not for a library's file, nor for the loader's own lock, which the
/// one that holds it gives back.
bool SafeMoment::isDangerousWait(uint64_t Call, uint64_t Argument) const {
  return isInterruptible(Call) && Call != SYS_read &&
         !(Call == SYS_futex && Loader.has(Argument));
}

bool SafeMoment::mayWaitInLoader(const TargetMemory &Memory, pid_t Tid) const {
  // "running", or the call's number, six arguments, the stack and the place.
  std::string Text =
      procfs::readFile("/proc/" + std::to_string(Memory.pid()) + "/task/" +
                       std::to_string(Tid) + "/syscall");
  unsigned long long Call, First, Stack;
  if (std::sscanf(Text.c_str(), "%llu %llx %*x %*x %*x %*x %*x %llx", &Call,
                  &First, &Stack) != 3)
    return true; // a stop of before may have woken it
  return isDangerousWait(Call, First) && mayBeInLoader(Memory, Stack);
}

/// Whether a stack has an address of the loader: cheaper than to walk it.
bool SafeMoment::mayBeInLoader(const TargetMemory &Memory,
                               uint64_t Stack) const {
  return any_of(wordsOf(Memory, Stack),
                [this](uint64_t W) { return Loader.has(W); });
}

bool SafeMoment::waitsInLoader(const TargetMemory &Memory,
                               const TargetThread &T) {
  TargetRegisters R;
  bool HasSignal = false;
  if (!T.get(R))
    return false;
  // A stop of before may have led it back to the begin of its call.
  constexpr uint16_t CallInstruction = 0x050f;
  uint16_t Next = 0;
  bool IsInCall = int64_t(R.orig_rax) >= 0;
  bool Begins =
      !IsInCall && Memory.read(R.rip, Next) && Next == CallInstruction;
  if (!(IsInCall && isDangerousWait(R.orig_rax, R.rdi)) &&
      !(Begins && isDangerousWait(R.rax, R.rdi)))
    return false;
  if (!mayBeInLoader(Memory, R.rsp))
    return false;
  std::optional<std::vector<uint64_t>> Code = codeOf(Memory, R, HasSignal);
  auto Has = [&](const TargetBinary &B) {
    return any_of(*Code, [&B](uint64_t At) { return B.has(At); });
  };
  // The capture library waits for the recorder.
  return Code && Has(Loader) && !(Library && Has(*Library));
}

bool SafeMoment::isInLibrary(const TargetMemory &Memory,
                             const TargetThread &T) {
  TargetRegisters R;
  if (!Library || !T.get(R))
    return false;
  bool HasSignal = false;
  std::optional<std::vector<uint64_t>> Code = codeOf(Memory, R, HasSignal);
  // A handler may have interrupted the library.
  if (!Code || HasSignal)
    return any_of(callsOn(wordsOf(Memory, R.rsp)),
                  [this](uint64_t At) { return Library->has(At); }) ||
           Library->has(R.rip);
  return any_of(*Code, [this](uint64_t At) { return Library->has(At); });
}
