// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a system knows of a tool: its manual page, and how shells complete its
// options. All from the options of --help.

#ifndef MEMKIT_LIB_CLI_SHELLTEXT_H
#define MEMKIT_LIB_CLI_SHELLTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

struct ToolDescription;

/// Prints the text that --help=Kind asks for: `man` (roff), `bash`, `zsh`,
/// `fish`. False: an unknown kind.
bool printShellText(llvm::raw_ostream &OS, const ToolDescription &D,
                    llvm::StringRef Kind);

} // namespace memkit

#endif // MEMKIT_LIB_CLI_SHELLTEXT_H
