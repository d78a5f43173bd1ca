// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints out-of-memory events.

#ifndef MEMKIT_TOOLS_MEMDUMP_OOMPRINTER_H
#define MEMKIT_TOOLS_MEMDUMP_OOMPRINTER_H

#include "memkit/Analysis/OomMoment.h"

namespace memkit {

/// Prints for people, for each out-of-memory event: the request and its place,
/// why there was no memory, what held it by line, the bytes of the heaps, the
/// categories of tensors and the largest tensors.
void printOoms(llvm::raw_ostream &OS, const Trace &T, const Places &Where,
               llvm::ArrayRef<OomMoment> Moments);

/// Writes `{"ooms": [...]}` with all out-of-memory events of the trace.
void writeOomJson(llvm::raw_ostream &OS, const Trace &T, const Places &Where,
                  llvm::ArrayRef<OomMoment> Moments);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_OOMPRINTER_H
