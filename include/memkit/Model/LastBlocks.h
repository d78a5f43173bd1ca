// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the blocks live at the end of their process.

#ifndef MEMKIT_MODEL_LASTBLOCKS_H
#define MEMKIT_MODEL_LASTBLOCKS_H

#include "memkit/Model/SelectedStats.h"

namespace memkit {

/// Whether T has the events for forEachLastBlock().
bool hasLastBlocks(const Trace &T);

/// Calls Do for each selected block live at the end of its process, or of the
/// trace, with the time of this end. A LiveBlock has an allocation time and a
/// scope path, unlike rows of stats. Replays from the last snapshot of each
/// process, or from the start if a process has no snapshot. A selection by time
/// gets no blocks. Errors: TraceError.
llvm::Error
forEachLastBlock(const SelectedStats &S,
                 llvm::function_ref<void(uint32_t Process, uint64_t EndNs,
                                         const LiveBlock &)>
                     Do);

} // namespace memkit

#endif // MEMKIT_MODEL_LASTBLOCKS_H
