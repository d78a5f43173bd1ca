// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks that lived when their process ended.

#ifndef MEMKIT_MODEL_LASTBLOCKS_H
#define MEMKIT_MODEL_LASTBLOCKS_H

#include "memkit/Model/SelectedStats.h"

namespace memkit {

/// Whether the events that forEachLastBlock() needs are in T.
bool hasLastBlocks(const Trace &T);

/// Gives each selected block that lived when its process, or the trace, ended,
/// and when that was: what rows of sums do not have, its allocation time and
/// scope path. Replays from the last snapshot of each process, and from the
/// start where there is none; of a selection by time nothing is given. Errors:
/// TraceError.
llvm::Error
forEachLastBlock(const SelectedStats &S,
                 llvm::function_ref<void(uint32_t Process, uint64_t EndNs,
                                         const LiveBlock &)>
                     Do);

} // namespace memkit

#endif // MEMKIT_MODEL_LASTBLOCKS_H
