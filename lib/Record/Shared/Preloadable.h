// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a program can be recorded.

#ifndef MEMKIT_LIB_RECORD_PRELOADABLE_H
#define MEMKIT_LIB_RECORD_PRELOADABLE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace memkit {

/// Why the program at Path (a script's interpreter stands for the script)
/// cannot be recorded: the loader would not take the capture library, or a
/// preloaded malloc would break it. Empty when it can, or when the file cannot
/// be read. Root: where the process sees `/`, for the paths of interpreters.
std::string whyNotPreloadable(llvm::StringRef Path, llvm::StringRef Root = "");

/// Finds Program as execvp() does: in PATH unless it has a slash. Returns 0 and
/// sets Out, or the errno that execvp() would give.
int findProgram(llvm::StringRef Program, std::string &Out);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PRELOADABLE_H
