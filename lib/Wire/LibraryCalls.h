// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system calls that the capture library makes in a program.
//
// A sandbox (seccomp) may kill the program for a call that is not its own.

#ifndef MEMKIT_LIB_WIRE_LIBRARYCALLS_H
#define MEMKIT_LIB_WIRE_LIBRARYCALLS_H

#include <cstdint>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

namespace memkit::wire {

/// What a call is for.
enum class CallNeed : uint8_t {
  Record, ///< recording cannot go on without the call
  Greet,  ///< a new process cannot be recorded without the call
  Rare,   ///< something is not known without the call
  Load,   ///< made when memrec -p loads the library
};

struct LibraryCall {
  CallNeed For;
  uint16_t Number;
  const char *Name;
  /// Arguments that filters look at, as the library passes them.
  uint64_t Args[4];

  /// What a filter sees. At: the call's address in the program.
  seccomp_data data(uint64_t At) const {
    seccomp_data Data = {};
    Data.nr = Number;
    Data.arch = 0xc000003e; // AUDIT_ARCH_X86_64; LLVM has its header's names
    Data.instruction_pointer = At;
    for (int I = 0; I != 4; ++I)
      Data.args[I] = Args[I];
    return Data;
  }
};

/// docs/Limits.md has the table for users.
inline constexpr LibraryCall LibraryCalls[] = {
    {CallNeed::Record, SYS_rt_sigprocmask, "rt_sigprocmask", {2, 0, 0, 8}},
    {CallNeed::Record, SYS_nanosleep, "nanosleep", {}},
    {CallNeed::Record,
     SYS_mmap,
     "mmap",
     {0, 4096, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE}},
    {CallNeed::Record, SYS_munmap, "munmap", {}},
    {CallNeed::Record, SYS_mremap, "mremap", {0, 0, 4096, MREMAP_MAYMOVE}},
    {CallNeed::Record, SYS_madvise, "madvise", {0, 4096, MADV_DONTFORK}},
    {CallNeed::Record, SYS_madvise, "madvise", {0, 4096, MADV_WIPEONFORK}},
    {CallNeed::Record, SYS_getpid, "getpid", {}},
    {CallNeed::Record, SYS_gettid, "gettid", {}},
    {CallNeed::Record, SYS_clock_gettime, "clock_gettime", {CLOCK_MONOTONIC}},
    {CallNeed::Greet,
     SYS_socket,
     "socket",
     {AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC}},
    {CallNeed::Greet, SYS_connect, "connect", {}},
    {CallNeed::Greet, SYS_setsockopt, "setsockopt", {0, SOL_SOCKET}},
    {CallNeed::Greet, SYS_sendto, "sendto", {}},
    {CallNeed::Greet, SYS_recvmsg, "recvmsg", {}},
    {CallNeed::Greet, SYS_close, "close", {}},
    {CallNeed::Greet, SYS_fstat, "fstat", {}},
    {CallNeed::Greet,
     SYS_mmap,
     "mmap",
     {0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED}},
    {CallNeed::Rare, SYS_madvise, "madvise", {0, 4096, 23}},
    {CallNeed::Rare, SYS_madvise, "madvise", {0, 4096, MADV_DONTNEED}},
    {CallNeed::Rare, SYS_futex, "futex", {0, FUTEX_WAIT}},
    {CallNeed::Rare, SYS_process_vm_readv, "process_vm_readv", {}},
    {CallNeed::Rare,
     SYS_mprotect,
     "mprotect",
     {0, 4096, PROT_READ | PROT_WRITE}},
    {CallNeed::Rare, SYS_pkey_mprotect, "pkey_mprotect", {}},
    {CallNeed::Rare,
     SYS_openat,
     "openat",
     {uint64_t(AT_FDCWD), 0, O_RDONLY | O_CLOEXEC}},
    {CallNeed::Rare, SYS_newfstatat, "newfstatat", {uint64_t(AT_FDCWD)}},
    {CallNeed::Rare, SYS_faccessat, "faccessat", {uint64_t(AT_FDCWD)}},
    {CallNeed::Rare, SYS_readlinkat, "readlinkat", {uint64_t(AT_FDCWD)}},
    {CallNeed::Rare, SYS_pread64, "pread64", {}},
    {CallNeed::Rare, SYS_read, "read", {}},
    {CallNeed::Rare, SYS_lseek, "lseek", {}},
    {CallNeed::Rare, SYS_fcntl, "fcntl", {0, F_DUPFD_CLOEXEC}},
};

/// Made by a thread that memrec borrows, and by the loader in it.
inline constexpr LibraryCall LoadCalls[] = {
    {CallNeed::Load, SYS_rt_sigreturn, "rt_sigreturn", {}},
    {CallNeed::Load,
     SYS_mmap,
     "mmap (executable)",
     {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS}},
    {CallNeed::Load,
     SYS_mmap,
     "mmap (executable)",
     {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED | MAP_DENYWRITE}},
    {CallNeed::Load, SYS_mprotect, "mprotect", {0, 4096, PROT_READ}},
    {CallNeed::Load,
     SYS_openat,
     "openat",
     {uint64_t(AT_FDCWD), 0, O_RDONLY | O_CLOEXEC}},
    {CallNeed::Load, SYS_read, "read", {}},
    {CallNeed::Load, SYS_close, "close", {}},
};

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_LIBRARYCALLS_H
