// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace that memdump reads.

#ifndef MEMKIT_TOOLS_MEMDUMP_INPUT_H
#define MEMKIT_TOOLS_MEMDUMP_INPUT_H

#include "memkit/Model/Trace.h"
#include "memkit/Trace/TraceReader.h"

namespace memkit {

/// The trace `Input`; its damage is warned of.
llvm::Expected<std::unique_ptr<TraceReader>> openReader();

/// Warns of what R has read and this version does not know.
void warnUnknown(const TraceReader &R);

/// As openReader(), as a model, of which Parts are read.
llvm::Expected<std::unique_ptr<Trace>> openTrace(unsigned Parts);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_INPUT_H
