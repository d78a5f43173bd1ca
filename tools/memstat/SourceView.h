// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --source: the lines of a file with the memory that each holds.

#ifndef MEMKIT_TOOLS_MEMSTAT_SOURCEVIEW_H
#define MEMKIT_TOOLS_MEMSTAT_SOURCEVIEW_H

#include "memkit/Model/SelectedStats.h"

namespace memkit {

/// Writes the lines of the file or function Name. Error: no stack has it, or OS
/// fails.
llvm::Error writeSource(llvm::raw_ostream &OS, const SelectedStats &S,
                        llvm::StringRef Name, bool Json, unsigned Width);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSTAT_SOURCEVIEW_H
