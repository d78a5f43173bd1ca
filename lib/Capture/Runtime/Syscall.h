// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System calls without libc.
//
// The functions leave errno alone, are no cancellation points and cannot be
// interposed. Each returns the kernel's result: a negative error number on
// failure.

#ifndef MEMKIT_CAPTURE_RUNTIME_SYSCALL_H
#define MEMKIT_CAPTURE_RUNTIME_SYSCALL_H

#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#ifndef __x86_64__
#error "the capture library is written for x86-64"
#endif

namespace memkit::capture::sys {

/// A system call that the program makes by way of a hook.
inline long forward(long Number, long A = 0, long B = 0, long C = 0, long D = 0,
                    long E = 0, long F = 0) {
  long Result;
  register long R10 asm("r10") = D;
  register long R8 asm("r8") = E;
  register long R9 asm("r9") = F;
  asm volatile("syscall"
               : "=a"(Result)
               : "a"(Number), "D"(A), "S"(B), "d"(C), "r"(R10), "r"(R8), "r"(R9)
               : "rcx", "r11", "memory");
  return Result;
}

/// The calls for which a sandbox would kill the program, a bit each.
inline constexpr long MaxNumber = 512;
inline uint64_t Forbidden[MaxNumber / 64] = {};
inline void forbid(long Number) {
  Forbidden[Number / 64] |= uint64_t(1) << Number % 64;
}
inline bool isForbidden(long Number) {
  return Forbidden[Number / 64] >> Number % 64 & 1;
}

/// A system call of the library itself; EPERM in place of a call that is
/// forbidden.
inline long call(long Number, long A = 0, long B = 0, long C = 0, long D = 0,
                 long E = 0, long F = 0) {
  if (__builtin_expect(isForbidden(Number), 0))
    return -1; // EPERM
  return forward(Number, A, B, C, D, E, F);
}

inline bool failed(long Result) { return Result < 0 && Result > -4096; }

/// Called for memory that the library has mapped for itself, and, with Bytes 0,
/// before the library unmaps memory; null: nobody asks.
inline void (*NoteOwn)(void *P, size_t Bytes) = nullptr;

/// Called for memory that the library has mapped for a recording, and, with
/// Bytes 0, before the library unmaps memory; null: nobody asks.
inline void (*NoteRecordings)(void *P, size_t Bytes) = nullptr;

/// Null on failure.
inline void *map(size_t Bytes, int Flags, int Fd, uint64_t Offset) {
  long P = call(SYS_mmap, 0, long(Bytes), PROT_READ | PROT_WRITE, Flags, Fd,
                long(Offset));
  if (failed(P))
    return nullptr;
  auto *At = reinterpret_cast<void *>(P);
  if (Flags & MAP_ANONYMOUS && NoteOwn)
    NoteOwn(At, Bytes);
  return At;
}

/// Marks memory as a recording's, which a forked child does not inherit.
inline void keepFromFork(void *P, size_t Bytes) {
  call(SYS_madvise, long(P), long(Bytes), MADV_DONTFORK);
  if (NoteRecordings)
    NoteRecordings(P, Bytes);
}

/// Private zeroed memory of a recording, which a forked child does not inherit;
/// null on failure.
inline void *mapPrivate(size_t Bytes) {
  void *P = map(Bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (P)
    keepFromFork(P, Bytes);
  return P;
}

/// Gives all pages of [P, P + Bytes) memory at once, in a third of the time of
/// as many page faults. Without effect before Linux 5.14.
inline void populate(void *P, size_t Bytes) {
  constexpr int PopulateWrite = 23; // MADV_POPULATE_WRITE
  constexpr uintptr_t Page = 4096;
  uintptr_t From = uintptr_t(P) & ~(Page - 1), To = uintptr_t(P) + Bytes;
  call(SYS_madvise, long(From), long((To - From + Page - 1) & ~(Page - 1)),
       PopulateWrite);
}

/// Address space without memory; null on failure.
inline void *reserve(size_t Bytes) {
  long P = call(SYS_mmap, 0, long(Bytes), PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return failed(P) ? nullptr : reinterpret_cast<void *>(P);
}

inline void unmap(void *P, size_t Bytes) {
  if (NoteOwn)
    NoteOwn(P, 0);
  if (NoteRecordings)
    NoteRecordings(P, 0);
  call(SYS_munmap, long(P), long(Bytes));
}

inline int open(const char *Path, int Flags) {
  return int(call(SYS_openat, AT_FDCWD, long(Path), Flags | O_CLOEXEC, 0));
}
inline long read(int Fd, void *To, size_t Bytes) {
  return call(SYS_read, Fd, long(To), long(Bytes));
}
inline long readAt(int Fd, void *To, size_t Bytes, uint64_t Offset) {
  return call(SYS_pread64, Fd, long(To), long(Bytes), long(Offset));
}
inline void close(int Fd) { call(SYS_close, Fd); }
inline long readlink(const char *Path, char *To, size_t Bytes) {
  return call(SYS_readlinkat, AT_FDCWD, long(Path), long(To), long(Bytes));
}
inline uint32_t getpid() { return uint32_t(call(SYS_getpid)); }
inline uint32_t gettid() { return uint32_t(call(SYS_gettid)); }

inline void sleepMicroseconds(uint32_t Us) {
  timespec T = {0, long(Us) * 1000};
  call(SYS_nanosleep, long(&T), 0);
}

/// The time of \p Clock, in ns.
inline uint64_t clockNs(clockid_t Clock) {
  timespec T = {};
  call(SYS_clock_gettime, Clock, long(&T));
  return uint64_t(T.tv_sec) * 1000000000 + uint64_t(T.tv_nsec);
}

inline uint64_t monotonicMs() { return clockNs(CLOCK_MONOTONIC) / 1000000; }

/// Blocks all signals during its lifetime.
class SignalBlock {
public:
  SignalBlock() {
    uint64_t All = ~0ull;
    call(SYS_rt_sigprocmask, /*SIG_SETMASK=*/2, long(&All), long(&Saved), 8);
  }
  ~SignalBlock() {
    call(SYS_rt_sigprocmask, /*SIG_SETMASK=*/2, long(&Saved), 0, 8);
  }
  SignalBlock(const SignalBlock &) = delete;
  SignalBlock &operator=(const SignalBlock &) = delete;

private:
  uint64_t Saved = 0;
};

} // namespace memkit::capture::sys

#endif // MEMKIT_CAPTURE_RUNTIME_SYSCALL_H
