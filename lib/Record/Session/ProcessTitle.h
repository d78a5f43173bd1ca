// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a process calls itself.
//
// Servers write over their arguments, by setproctitle() or as it does, to tell
// their processes apart: `nginx: worker process`, `postgres: walwriter`.

#ifndef MEMKIT_LIB_RECORD_PROCESSTITLE_H
#define MEMKIT_LIB_RECORD_PROCESSTITLE_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace memkit {

/// Arguments, as /proc/PID/cmdline has them, when they are one word: that may
/// be a title, whose unused room is filled with blanks or NULs. Else empty. In
/// UTF-8, of a bounded length; the process may have written anything.
std::string titleOf(llvm::StringRef Arguments);

/// The words of Arguments, of a title one.
std::vector<std::string> wordsOf(llvm::StringRef Arguments);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PROCESSTITLE_H
