// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The detours of the allocators that are built into a binary.

#ifndef MEMKIT_LIB_DETOUR_PRIVATEDETOURS_H
#define MEMKIT_LIB_DETOUR_PRIVATEDETOURS_H

#include "Wire/Detours.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace memkit {

/// Plans the detours of the allocators that are built into a file: those of a
/// prefix or of names of their own, and in an executable those that replace
/// malloc. None: the file has no such allocator, or is a library that exports
/// its functions, which programs call through the dynamic symbols. Name: what
/// the heaps are called after. Errors: the file is unreadable or damaged,
/// without its path.
llvm::Expected<wire::DetourReply> planPrivateAllocators(llvm::StringRef File,
                                                        llvm::StringRef Name);

} // namespace memkit

#endif // MEMKIT_LIB_DETOUR_PRIVATEDETOURS_H
