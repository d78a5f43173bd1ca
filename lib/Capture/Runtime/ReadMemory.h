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

/// Is there memory at \p P that can be read? The kernel looks, in a call that
/// every sandbox allows: the set of signals is read before the unknown
/// operation is refused.
inline bool isMapped(const void *P) {
  constexpr int NoOperation = -1;
  constexpr uintptr_t SetBytes = 8; // the kernel's sigset_t
  uintptr_t At = reinterpret_cast<uintptr_t>(P) & ~(SetBytes - 1);
  // For the kernel, null is no set.
  return At && sys::call(SYS_rt_sigprocmask, NoOperation, long(At), 0,
                         long(SetBytes)) != -EFAULT;
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_READMEMORY_H
