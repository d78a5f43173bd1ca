// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of a selection, each from its allocation to its free.

#ifndef MEMKIT_LIB_EXPORT_BLOCKSPANS_H
#define MEMKIT_LIB_EXPORT_BLOCKSPANS_H

#include "Export/BlockSpan.h"
#include "memkit/Model/SelectedStats.h"

namespace memkit {

/// Replays the events of a selection. Blocks of 0 bytes are left out. With a
/// time point --at, the result has only the blocks that live at this time
/// point; with --until, a process that ends earlier frees its blocks. Max: the
/// maximum of spans, at least 1, 0 for no limit; memory is 48 bytes a span, and
/// that of the replay. By: keys are stacks or scope paths. Fails without the
/// trace's events, and for a trace that memdiff wrote (RequestError).
llvm::Expected<BlockSpans> readBlockSpans(const SelectedStats &S, StatsBy By,
                                          size_t Max);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_BLOCKSPANS_H
