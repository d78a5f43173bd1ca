// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the option parser in the tools' words.

#ifndef MEMKIT_LIB_CLI_USAGETEXT_H
#define MEMKIT_LIB_CLI_USAGETEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace memkit {

/// Removes options that LLVM registers and no tool wants: all but those of a
/// HelpGroup, and --version.
void removeForeignOptions();

/// The messages for the text that LLVM's parser printed for the command line
/// Args (without the tool's name), the error first, then notes.
std::vector<std::string> usageMessages(llvm::StringRef Text,
                                       llvm::StringRef Tool,
                                       llvm::ArrayRef<const char *> Args);

} // namespace memkit

#endif // MEMKIT_LIB_CLI_USAGETEXT_H
