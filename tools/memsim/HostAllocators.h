// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The allocators of the host that --with names.

#ifndef MEMKIT_TOOLS_MEMSIM_HOSTALLOCATORS_H
#define MEMKIT_TOOLS_MEMSIM_HOSTALLOCATORS_H

#include "Simulate/HostReplay.h"

namespace memkit {

/// Whether --with=Text is an allocator of the host.
bool isHostAllocator(llvm::StringRef Text);

/// The name of the allocator that served the recorded program: `glibc`,
/// `jemalloc`, ...
llvm::StringRef recordedHostAllocator(const Trace &T);

/// The allocators of --with, in order. Without a --with: the recorded one,
/// glibc with a single arena, and the known libraries that can be loaded here.
/// Errors: UsageError, also for a library that cannot be loaded.
llvm::Expected<std::vector<HostAllocator>>
chooseHostAllocators(const Trace &T, llvm::ArrayRef<std::string> With,
                     const HostReplayLimits &Limits);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSIM_HOSTALLOCATORS_H
