// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes text as a CSV field.

#ifndef MEMKIT_LIB_SUPPORT_CSVFIELD_H
#define MEMKIT_LIB_SUPPORT_CSVFIELD_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// Prints Text, in quotes if necessary. An apostrophe comes before a text, or a
/// part of a path, that spreadsheets would take for a formula. All names and
/// texts of a trace go through here; numbers do not, and stay numbers.
void printField(llvm::raw_ostream &OS, llvm::StringRef Text);

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_CSVFIELD_H
