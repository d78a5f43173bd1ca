// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays what a program asked of malloc, with each allocator.

#ifndef MEMKIT_TOOLS_MEMSIM_HOSTRUN_H
#define MEMKIT_TOOLS_MEMSIM_HOSTRUN_H

#include "HostText.h"

namespace memkit {

struct HostRequest {
  llvm::ArrayRef<std::string> With; ///< of --with; empty: the usual
  uint32_t Scale = 1;
  uint64_t StuckNs = 0; ///< see HostReplayLimits
  const char *Argv0 = nullptr;
};

/// Replays, and passes the results to Write. Result: whether each allocator
/// served the replay to its end.
llvm::Expected<bool>
runHost(const Trace &T, const Selection &Sel, const HostRequest &R,
        llvm::function_ref<llvm::Error(const HostView &)> Write);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSIM_HOSTRUN_H
