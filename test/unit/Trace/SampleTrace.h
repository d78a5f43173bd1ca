// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace with every section and field.

#ifndef MEMKIT_TEST_UNIT_TRACE_SAMPLETRACE_H
#define MEMKIT_TEST_UNIT_TRACE_SAMPLETRACE_H

#include "memkit/Trace/TraceWriter.h"
#include <vector>

/// The sections of the sample except Header and Index, in file order.
std::vector<memkit::AnySection> sampleBlocks();
memkit::Header sampleHeader();

/// Header and Blocks as a file; Complete adds the index.
std::string writeTrace(const memkit::Header &H,
                       const std::vector<memkit::AnySection> &Blocks,
                       bool Complete = true);

/// Random but valid events of process 1. Allocation ids start at Next, which
/// the function advances.
memkit::Events randomEvents(uint64_t Seed, size_t Rows, unsigned Threads,
                            uint64_t &Next, uint64_t &TimeNs, bool Columns);

#endif
