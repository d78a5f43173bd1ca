// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a program can be recorded.

#ifndef MEMKIT_LIB_RECORD_PRELOADABLE_H
#define MEMKIT_LIB_RECORD_PRELOADABLE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace memkit {

/// Why the program at Path (for a script, its interpreter) cannot be recorded:
/// the loader would not load the capture library, or a preloaded malloc would
/// break the program. Empty if the program can be recorded, or if the file
/// cannot be read. Root: the process's `/`, for the paths of interpreters.
std::string whyNotPreloadable(llvm::StringRef Path, llvm::StringRef Root = "");

/// The sanitizer whose runtime has the symbol, as "AddressSanitizer"; empty:
/// none.
std::string sanitizerOf(llvm::StringRef Symbol);

/// Finds Program as execvp() does: in PATH, unless Program has a slash. Returns
/// 0 and sets Out, or returns the errno of execvp().
int findProgram(llvm::StringRef Program, std::string &Out);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PRELOADABLE_H
