// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads memory that may not be there.

#ifndef MEMKIT_CAPTURE_RUNTIME_READMEMORY_H
#define MEMKIT_CAPTURE_RUNTIME_READMEMORY_H

#include "Runtime/Syscall.h"

#include <cerrno>
#include <sys/uio.h>

namespace memkit::capture {

/// Copies up to \p Max words of this process at \p From to \p To; returns the
/// number of whole words that could be read. The kernel reads, and reports
/// addresses without memory. One system call; 0 if the kernel refuses it.
inline unsigned readWords(uintptr_t From, uintptr_t *To, unsigned Max) {
  constexpr uintptr_t Page = 4096;
  if (!From || From % sizeof(uintptr_t))
    return 0;
  // The kernel reads a part of the list whole or not at all: one part for each
  // page.
  size_t Bytes = Max * sizeof(uintptr_t), First = Page - From % Page;
  First = First < Bytes ? First : Bytes;
  iovec Local = {To, Bytes};
  iovec Remote[2] = {{reinterpret_cast<void *>(From), First},
                     {reinterpret_cast<void *>(From + First), Bytes - First}};
  long Read = sys::call(SYS_process_vm_readv, sys::getpid(), long(&Local), 1,
                        long(Remote), Bytes == First ? 1 : 2, 0);
  return Read < 0 ? 0 : unsigned(Read) / sizeof(uintptr_t);
}

/// Can the 8 bytes at \p Address (a multiple of 8) be read? rt_sigprocmask with
/// a nonexistent operation reads its argument before the operation, returns
/// EFAULT or EINVAL, and changes nothing. 0.2 µs on the machine of
/// docs/Performance.md.
inline bool isReadable(uintptr_t Address) {
  constexpr long NoSuchOperation = -1;
  return sys::call(SYS_rt_sigprocmask, NoSuchOperation, long(Address), 0, 8) ==
         -EINVAL;
}

/// Is there memory at \p P?
inline bool isMapped(const void *P) {
  return isReadable(uintptr_t(P) & ~uintptr_t(7));
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_READMEMORY_H
