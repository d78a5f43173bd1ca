// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of --symbolize.

#ifndef MEMKIT_TOOLS_MEMDUMP_SYMBOLIZEFLAGS_H
#define MEMKIT_TOOLS_MEMDUMP_SYMBOLIZEFLAGS_H

#include "Symbolize/DebugServers.h"
#include "Symbolize/SymbolizeTrace.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace memkit {

/// Whether the command line has an option of --symbolize. Names: all of them.
bool hasSymbolizeFlags();
inline constexpr llvm::StringLiteral SymbolizeFlagNames =
    "--debug-dir, --sysroot, --exe, --perf-map and --debuginfod";

/// The places to look at, from the command line. Loads the library for servers
/// into Servers if they are to be asked. A UsageError for a wrong value;
/// another error for a folder that does not exist, and without the library.
llvm::Expected<SymbolizeOptions>
symbolizeOptions(std::unique_ptr<DebugServers> &Servers);

/// Prints how many frames have symbols now, and why others have none.
void printSymbolizeStats(const SymbolizeStats &Stats,
                         const SymbolizeOptions &Options);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_SYMBOLIZEFLAGS_H
