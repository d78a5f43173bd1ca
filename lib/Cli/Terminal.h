// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the terminal can show.

#ifndef MEMKIT_LIB_CLI_TERMINAL_H
#define MEMKIT_LIB_CLI_TERMINAL_H

namespace memkit {

/// The columns of the terminal that standard output is, 0 when it is none:
/// nothing is shortened then.
unsigned outputWidth();

/// Whether the locale of the environment (LC_ALL, LC_CTYPE, LANG) writes UTF-8.
bool isUtf8Locale();

} // namespace memkit

#endif // MEMKIT_LIB_CLI_TERMINAL_H
