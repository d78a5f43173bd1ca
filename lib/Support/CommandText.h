// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows commands and programs to people.

#ifndef MEMKIT_LIB_SUPPORT_COMMANDTEXT_H
#define MEMKIT_LIB_SUPPORT_COMMANDTEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace memkit {

/// Text in one line, with control characters written as `\n`, `\t` and `\x1b`.
std::string oneLine(llvm::StringRef Text);

/// A command in one line, its words separated by blanks.
std::string commandText(llvm::ArrayRef<std::string> Words);

/// A word as a shell reads the word back: in quotes if needed. Names in a trace
/// come from anyone, and people paste the commands that tools show.
std::string shellWord(llvm::StringRef Word);

/// The name of a program from the first word of its command: the last part of a
/// path. A title that a process set for itself (`nginx: master process
/// /usr/sbin/nginx`) is not a path.
llvm::StringRef programName(llvm::StringRef Word);

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_COMMANDTEXT_H
