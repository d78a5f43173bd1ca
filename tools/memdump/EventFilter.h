// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of a selection.

#ifndef MEMKIT_TOOLS_MEMDUMP_EVENTFILTER_H
#define MEMKIT_TOOLS_MEMDUMP_EVENTFILTER_H

#include "memkit/Model/Selection.h"
#include "memkit/Trace/SectionVisitor.h"

namespace memkit {

/// Creates a visitor that passes to To the header, the dictionary, and the
/// chosen events and marks: events of the blocks that Sel chooses, and both
/// events and marks only in Sel's window of time. With a time point (--at) the
/// visitor passes only the events that made the blocks live then, and no marks.
/// The sections must be those of T, and Sel a selection of T; ids in sections
/// are checked (TraceError). T, Sel and To must outlive the result.
llvm::Expected<std::unique_ptr<SectionVisitor>>
createEventFilter(const Trace &T, const Selection &Sel, SectionVisitor &To);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_EVENTFILTER_H
