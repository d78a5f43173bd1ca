// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records synthetic programs.

#ifndef MEMKIT_UTILS_GENGROWTH_RECORDER_H
#define MEMKIT_UTILS_GENGROWTH_RECORDER_H

#include "Program.h"
#include "memkit/Trace/TraceWriter.h"

namespace memkit::gengrowth {

/// Writes the trace of P as a recorder would, with stats from LiveStats:
/// intervals, lifetimes and summary. WithEvents adds events and marks.
llvm::Error writeProgram(const Program &P, Sink &Out, bool WithEvents);

/// Writes the processes, heaps and stacks of P. Sets StackOfSite to the stack
/// of each site.
llvm::Error writeNames(const Program &P, TraceWriter &Out,
                       std::vector<uint32_t> &StackOfSite);

/// The heap as the trace has it; without the name.
Heap heapOf(const Program &P, uint32_t Heap);

} // namespace memkit::gengrowth

#endif // MEMKIT_UTILS_GENGROWTH_RECORDER_H
