// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands and programs, for people.

#ifndef MEMKIT_LIB_SUPPORT_COMMANDTEXT_H
#define MEMKIT_LIB_SUPPORT_COMMANDTEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace memkit {

/// Text in one line: `\n`, `\t` and `\x1b` stand for control characters.
std::string oneLine(llvm::StringRef Text);

/// The words of a command, with blanks between them, in one line.
std::string commandText(llvm::ArrayRef<std::string> Words);

/// What the program of a command's first word is called: the last part of a
/// path. A title that a process gave itself (`nginx: master process
/// /usr/sbin/nginx`) is no path.
llvm::StringRef programName(llvm::StringRef Word);

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_COMMANDTEXT_H
