// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The title that a process writes over its arguments.
//
// Servers overwrite their arguments, as setproctitle() does, to distinguish
// their processes: `nginx: worker process`, `postgres: walwriter`.

#ifndef MEMKIT_LIB_RECORD_PROCESSTITLE_H
#define MEMKIT_LIB_RECORD_PROCESSTITLE_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace memkit {

/// The title in Arguments, the content of /proc/PID/cmdline: Arguments without
/// the trailing blanks and NULs, if they are one word; else empty. Valid UTF-8,
/// of a bounded length; the process may have written any bytes.
std::string titleOf(llvm::StringRef Arguments);

/// The words of Arguments; a title with blanks is one word.
std::vector<std::string> wordsOf(llvm::StringRef Arguments);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PROCESSTITLE_H
