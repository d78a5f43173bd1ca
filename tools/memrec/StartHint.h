// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user meant by a command that cannot start.

#ifndef MEMKIT_TOOLS_MEMREC_STARTHINT_H
#define MEMKIT_TOOLS_MEMREC_STARTHINT_H

#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace memkit {

/// The command that starts: `memrec -- python batch.py` for a script that is no
/// program, `memrec -- python x.py` for a whole command in quotes, `./server`
/// for a program in the current folder. Empty: no idea.
std::string startHint(llvm::ArrayRef<std::string> Command);

/// An option among the program's arguments that looks like memrec's: `-o x.fb`.
/// Empty: there is none.
std::string optionAfterProgram(llvm::ArrayRef<std::string> Command);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMREC_STARTHINT_H
