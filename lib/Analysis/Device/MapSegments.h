// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of a device, arranged in segments.

#ifndef MEMKIT_LIB_ANALYSIS_MAPSEGMENTS_H
#define MEMKIT_LIB_ANALYSIS_MAPSEGMENTS_H

#include "memkit/Analysis/MappedMemory.h"

namespace memkit {

/// Fills in the blocks of Process, sorted by allocation id, from their events:
/// addresses, streams, pools, requested and allocated sizes. Reads the sections
/// of events in which the blocks were allocated. Values missing from the events
/// stay unchanged.
llvm::Error readMapDetails(const Trace &T, uint32_t Process,
                           llvm::MutableArrayRef<MappedBlock> Blocks);

/// Adds the blocks of one process on M's device, sorted by allocation id, to M.
void addToMap(const Trace &T, DeviceMap &M, llvm::ArrayRef<MappedBlock> Blocks);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_MAPSEGMENTS_H
