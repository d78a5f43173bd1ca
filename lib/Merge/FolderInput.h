// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many traces as one input: a folder, or several traces on a command line.

#ifndef MEMKIT_LIB_MERGE_FOLDERINPUT_H
#define MEMKIT_LIB_MERGE_FOLDERINPUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace memkit {

/// From now on a folder opens as the merged trace of the files *.fb in the
/// folder and below it (MergeKind::Sums), through a temporary file in $TMPDIR,
/// else /tmp. Traces that cannot be read are left out with a warning. Call
/// before any trace is opened.
void acceptFolders();

/// The trace that a tool reads: the one of Given; without any that of
/// chooseTrace(); of several a name that opens as the merged trace of all, as a
/// folder does. Call after acceptFolders(), once, on the main thread. Errors:
/// of chooseTrace(); a UsageError for standard input among several.
llvm::Expected<std::string> chooseTraces(llvm::ArrayRef<std::string> Given);

/// What names the trace Path on a command line, quoted for the shell: all
/// traces of which chooseTraces() made Path.
std::string shellWords(llvm::StringRef Path);

} // namespace memkit

#endif // MEMKIT_LIB_MERGE_FOLDERINPUT_H
