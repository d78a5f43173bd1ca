// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace that uses every block and field.

#ifndef MEMKIT_TEST_UNIT_TRACE_SAMPLETRACE_H
#define MEMKIT_TEST_UNIT_TRACE_SAMPLETRACE_H

#include "memkit/Trace/TraceWriter.h"
#include <vector>

/// The blocks of the sample but Header and Index, in file order.
std::vector<memkit::AnySection> sampleBlocks();
memkit::Header sampleHeader();

/// Header and Blocks as a file; Complete adds the index.
std::string writeTrace(const memkit::Header &H,
                       const std::vector<memkit::AnySection> &Blocks,
                       bool Complete = true);

/// Random but valid events of process 1 from the allocation id Next on, which
/// moves.
memkit::Events randomEvents(uint64_t Seed, size_t Rows, unsigned Threads,
                            uint64_t &Next, uint64_t &TimeNs, bool Columns);

#endif
