// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lived when memory could not be had.

#ifndef MEMKIT_TOOLS_MEMDUMP_OOMPRINTER_H
#define MEMKIT_TOOLS_MEMDUMP_OOMPRINTER_H

#include "memkit/Model/Trace.h"

namespace memkit {

/// For people: of each moment what was asked for and where, what the heaps
/// held, the categories of tensors and the largest of them.
void printOoms(llvm::raw_ostream &OS, const Trace &T);

/// `{"ooms": [...]}`, all that the trace has.
void writeOomJson(llvm::raw_ostream &OS, const Trace &T);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_OOMPRINTER_H
