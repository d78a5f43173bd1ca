// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what glibc's malloc_info writes.

#ifndef MEMKIT_CAPTURE_HOST_MALLOCINFO_H
#define MEMKIT_CAPTURE_HOST_MALLOCINFO_H

#include "Wire/Allocator.h"

#include <cstdio>

namespace memkit::capture {

/// Calls Info, glibc's malloc_info, and sums up its text. False: Info failed,
/// or its text lacks the totals.
bool readMallocInfo(int (*Info)(int, FILE *), wire::AllocatorReport &To);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_MALLOCINFO_H
