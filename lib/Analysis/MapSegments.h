// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a device, put in order.

#ifndef MEMKIT_LIB_ANALYSIS_MAPSEGMENTS_H
#define MEMKIT_LIB_ANALYSIS_MAPSEGMENTS_H

#include "memkit/Analysis/DeviceMap.h"

namespace memkit {

/// Gives the blocks of Process, allocation ids rising, what their events say of
/// them: addresses, streams, pools, requests, sizes. Reads the sections of
/// events in which they were allocated. What those do not have stays.
llvm::Error readMapDetails(const Trace &T, uint32_t Process,
                           llvm::MutableArrayRef<MappedBlock> Blocks);

/// Puts the blocks of one process and M's device, allocation ids rising, into
/// M.
void addToMap(const Trace &T, DeviceMap &M, llvm::ArrayRef<MappedBlock> Blocks);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_MAPSEGMENTS_H
