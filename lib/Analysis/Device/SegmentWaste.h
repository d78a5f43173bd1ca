// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What expandable segments of PyTorch would have saved.

#ifndef MEMKIT_LIB_ANALYSIS_SEGMENTWASTE_H
#define MEMKIT_LIB_ANALYSIS_SEGMENTWASTE_H

#include "memkit/Analysis/Suggestions.h"

namespace memkit {

/// Checks each Advice::ExpandableSegments with the map of its device when most
/// was reserved: the stream and pool that reserved more must have had much free
/// memory. Other streams and pools never use this memory, in expandable
/// segments neither. Sets Ppm to the part of this memory, and drops the others.
/// Without a map, as in a trace without events, the suggestions stay as they
/// are. Errors: TraceError.
llvm::Error checkSegmentWaste(const SelectedStats &S,
                              std::vector<Suggestion> &Suggestions);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_SEGMENTWASTE_H
