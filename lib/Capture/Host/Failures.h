// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of requests for which there was no memory.
//
// Called after a function of malloc's or mmap's family has failed. None of
// these functions touches errno, allocates, or waits except for room in a ring.

#ifndef MEMKIT_CAPTURE_HOST_FAILURES_H
#define MEMKIT_CAPTURE_HOST_FAILURES_H

#include "Runtime/Hook.h"
#include "Wire/HostRecords.h"

#include <cstddef>

namespace memkit::capture {

/// Records that \p F could not allocate \p Size bytes. Does nothing for a size
/// that no machine has, because then memory is not what lacks, and for calls
/// that a call of the library or of a recorded realloc has made.
void recordFailure(size_t Size, wire::AllocFunction F,
                   const CallerFrame &Caller) __attribute__((cold));

/// As recordFailure(), for pages that the program asked the kernel for. \p
/// Error: of the call. \p Prot, \p Flags: as in mmap(2). Does nothing for
/// pages that take no memory, or huge pages, of which the kernel has a pool.
void recordMapFailure(size_t Size, int Error, int Prot, int Flags,
                      wire::AllocFunction F, const CallerFrame &Caller)
    __attribute__((cold));

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_FAILURES_H
