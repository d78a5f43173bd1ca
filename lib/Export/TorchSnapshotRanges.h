// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times, ranges and settings of a trace as a PyTorch snapshot has them.

#ifndef MEMKIT_LIB_EXPORT_TORCHSNAPSHOTRANGES_H
#define MEMKIT_LIB_EXPORT_TORCHSNAPSHOTRANGES_H

#include "PickleWriter.h"
#include "TorchSnapshotEvents.h"

namespace memkit {

/// Whether the trace has times, and not only an order.
bool hasRealTimes(const Trace &T);
/// Microseconds since 1970.
uint64_t realUs(const Trace &T, uint64_t TimeNs);

/// What a program says of an event.
struct TorchSnapshotLabels {
  std::string CompileContext = "N/A", Metadata;
};
/// Of the scopes that memimport makes of these texts, and of the program's own
/// scopes.
TorchSnapshotLabels labelsOf(const Trace &T, uint32_t ScopePath);

/// Writes ranges, and the steps of a recording of memrec as `ProfilerStep#N`.
void writeTorchAnnotations(PickleWriter &To, const Trace &T,
                           const TorchSnapshotScan &Scan);
/// Writes the entry `allocator_settings`.
void writeTorchSettings(PickleWriter &To, const Trace &T);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_TORCHSNAPSHOTRANGES_H
