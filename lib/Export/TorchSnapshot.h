// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces as memory snapshots of PyTorch, for memory_viz and other viewers.

#ifndef MEMKIT_LIB_EXPORT_TORCHSNAPSHOT_H
#define MEMKIT_LIB_EXPORT_TORCHSNAPSHOT_H

#include "memkit/Model/Trace.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// Writes a pickle as torch.cuda.memory._dump_snapshot() does: the segments and
/// blocks of PyTorch's allocator at the end of the process, the events of each
/// device, and ranges as annotations. Process: 0 for the one process that has
/// tensors on devices. T: with stacks. Errors: the trace has no such tensors,
/// several such processes, or no events. Memory: the live blocks. Stops when
/// Failed reports that OS accepts no more.
///
/// A trace has no stack of a free: the snapshot has the stack of the
/// allocation. A trace has no time of free_completed: the event follows its
/// free_requested at once. A trace numbers streams: the snapshot has these
/// numbers in place of handles.
llvm::Error writeTorchSnapshot(llvm::raw_ostream &OS, const Trace &T,
                               uint32_t Process,
                               llvm::function_ref<bool()> Failed);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_TORCHSNAPSHOT_H
