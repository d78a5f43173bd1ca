// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The segments of a PyTorch snapshot, with their blocks.

#ifndef MEMKIT_LIB_EXPORT_TORCHSNAPSHOTSEGMENTS_H
#define MEMKIT_LIB_EXPORT_TORCHSNAPSHOTSEGMENTS_H

#include "TorchSnapshotEvents.h"
#include "TorchSnapshotFrames.h"

namespace memkit {

/// Writes the segments of a device, in the order of addresses, as elements of a
/// list. Memory between two blocks is an inactive block. A tensor outside of
/// all segments has one of its own.
void writeTorchSegments(PickleWriter &To, TorchSnapshotFrames &Frames,
                        uint32_t Index, const TorchSnapshotDevice &Device,
                        const TorchSnapshotScan &Scan,
                        const TorchSnapshotBlocks &Blocks);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_TORCHSNAPSHOTSEGMENTS_H
