// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces on a command line, folders of traces among them.

#ifndef MEMKIT_LIB_CLI_TRACEFOLDER_H
#define MEMKIT_LIB_CLI_TRACEFOLDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace memkit {

class Trace;

/// Whether Path is a folder.
bool isFolder(llvm::StringRef Path);

/// A UsageError if standard input (`-`) is one of several inputs, which are
/// opened more than once.
llvm::Error checkNoStdin(llvm::ArrayRef<std::string> Inputs);

/// Inputs, each folder replaced by the files *.fb in the folder and below it,
/// in order of their paths; each file once, and no merged trace beside the
/// traces that it was made of (a warning names it). Symbolic links to folders
/// are not followed. Errors: a folder that cannot be read; a folder without
/// such files.
llvm::Expected<std::vector<std::string>>
expandFolders(llvm::ArrayRef<std::string> Inputs);

/// An error if Output is one of the input files, for tools whose output is no
/// other form of its input.
llvm::Error checkNoInput(llvm::StringRef Output,
                         llvm::ArrayRef<std::string> Inputs);

/// Warns in a line if the events of a trace are damaged, for tools that answer
/// from the summary: looks at them for a tenth of a second at most.
void warnOfDamage(const Trace &T);

} // namespace memkit

#endif // MEMKIT_LIB_CLI_TRACEFOLDER_H
