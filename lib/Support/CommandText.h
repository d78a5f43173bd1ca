// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows commands and programs to people.

#ifndef MEMKIT_LIB_SUPPORT_COMMANDTEXT_H
#define MEMKIT_LIB_SUPPORT_COMMANDTEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace memkit {

/// Whether a terminal shows Text in one line as it is. Not: controls (C0, DEL,
/// C1), which move the cursor, set the title or fill the clipboard; marks that
/// change the direction of text or end lines (Unicode's Bidi_Control, U+2028,
/// U+2029); and bytes that are no UTF-8, which may be controls of 8 bits.
bool isHarmless(llvm::StringRef Text);
/// Text in one line that is harmless: what is not is written as `\n`, `\t`,
/// `\x1b`, or `\u202e`. Names in a trace come from anyone, and are harmless
/// from TraceNames on.
std::string oneLine(llvm::StringRef Text);
/// The same of a message. The end of a line stays before a blank, as messages
/// indent their further lines: a name cannot begin a line of its own.
std::string harmlessLines(llvm::StringRef Text);

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
