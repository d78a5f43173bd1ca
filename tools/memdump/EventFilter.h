// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of a selection.

#ifndef MEMKIT_TOOLS_MEMDUMP_EVENTFILTER_H
#define MEMKIT_TOOLS_MEMDUMP_EVENTFILTER_H

#include "memkit/Model/Selection.h"
#include "memkit/Trace/SectionVisitor.h"

namespace memkit {

/// Gives To, which must outlive the result, the header, the names, and of the
/// events and marks those that Sel chooses: events of chosen blocks, and both
/// within its window; with a moment (--at) only the events that made the blocks
/// that live then, and no marks. Blocks must be those of T, of which Sel is;
/// their ids are checked (TraceError). T and Sel must outlive the result, too.
llvm::Expected<std::unique_ptr<SectionVisitor>>
createEventFilter(const Trace &T, const Selection &Sel, SectionVisitor &To);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_EVENTFILTER_H
