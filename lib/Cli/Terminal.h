// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Capabilities of the terminal.

#ifndef MEMKIT_LIB_CLI_TERMINAL_H
#define MEMKIT_LIB_CLI_TERMINAL_H

namespace memkit {

/// The number of columns of the terminal at standard output; 0 if standard
/// output is no terminal, and then texts are not shortened.
unsigned outputWidth();

/// Whether the locale of the environment (LC_ALL, LC_CTYPE, LANG) uses UTF-8.
bool isUtf8Locale();

} // namespace memkit

#endif // MEMKIT_LIB_CLI_TERMINAL_H
