// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What held the memory when memory ran out, and why nothing was left.

#ifndef MEMKIT_ANALYSIS_OOMMOMENT_H
#define MEMKIT_ANALYSIS_OOMMOMENT_H

#include "memkit/Analysis/DeviceMap.h"
#include "memkit/Model/Places.h"
#include "memkit/Model/Query.h"

namespace memkit {

/// The live bytes of a place at the event, without inner blocks.
struct OomHolder {
  uint32_t Place = 0; ///< of Places
  uint64_t Bytes = 0;
  uint64_t Blocks = 0;
};

/// An out-of-memory event with the state of its memory space.
struct OomMoment {
  OomReport Event;
  /// Of all selected processes, most bytes first; empty: the trace lacks the
  /// events around the event.
  std::vector<OomHolder> Holders;
  uint64_t LiveBytes = 0; ///< the sum of the holders
  /// The part of LiveBytes in tensors that are older than the step of the
  /// event; 0 without steps.
  uint64_t OlderTensorBytes = 0;
  /// Of a device: why, and the bytes of the device (0: not known). Only of the
  /// last event of each device.
  std::optional<OomCause> Cause;
  uint64_t DeviceBytes = 0;
};

/// Replays the trace up to the event; a trace without these events gives no
/// holders. Errors: TraceError.
llvm::Expected<OomMoment> queryOomMoment(const SelectedStats &S,
                                         const Places &Where, OomReport Event);

/// The last out-of-memory event of the selected processes; of several at one
/// time, the one of the kernel. Nothing: none.
std::optional<OomReport> findLastOom(const SelectedStats &S);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_OOMMOMENT_H
