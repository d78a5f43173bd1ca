// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace that memdump reads.

#ifndef MEMKIT_TOOLS_MEMDUMP_INPUT_H
#define MEMKIT_TOOLS_MEMDUMP_INPUT_H

#include "memkit/Model/Trace.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace memkit {

/// Opens the trace `Input` and warns of damage.
llvm::Expected<std::unique_ptr<TraceReader>> openReader();

/// Warns of sections and values in R that this version does not know.
void warnUnknown(const TraceReader &R);

/// Opens the trace as a model, and reads Parts of it.
llvm::Expected<std::unique_ptr<Trace>> openTrace(unsigned Parts);

/// Calls Use with the path of a complete copy of the trace: the trace itself,
/// or a temporary file with the stats and the index that the trace lacks.
llvm::Error
withCompleteTrace(llvm::function_ref<llvm::Error(llvm::StringRef Path)> Use);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_INPUT_H
