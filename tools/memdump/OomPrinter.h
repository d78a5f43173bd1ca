// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints out-of-memory events.

#ifndef MEMKIT_TOOLS_MEMDUMP_OOMPRINTER_H
#define MEMKIT_TOOLS_MEMDUMP_OOMPRINTER_H

#include "memkit/Model/Trace.h"

namespace memkit {

/// Prints for people, for each out-of-memory event: the request and its place,
/// the bytes of the heaps, the categories of tensors and the largest tensors.
void printOoms(llvm::raw_ostream &OS, const Trace &T);

/// Writes `{"ooms": [...]}` with all out-of-memory events of the trace.
void writeOomJson(llvm::raw_ostream &OS, const Trace &T);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_OOMPRINTER_H
