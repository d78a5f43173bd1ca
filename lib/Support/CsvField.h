// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes text as a CSV field.

#ifndef MEMKIT_LIB_SUPPORT_CSVFIELD_H
#define MEMKIT_LIB_SUPPORT_CSVFIELD_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// Prints Text, in quotes if necessary. A spreadsheet takes a cell that begins
/// with one of some characters for a formula, which may send the sheet's
/// contents away: an apostrophe in front keeps the cell a text (OWASP, CSV
/// injection). Numbers do not come here.
inline void printField(llvm::raw_ostream &OS, llvm::StringRef Text) {
  if (Text.find_first_of("=+-@\t\r") == 0) {
    printField(OS, ("'" + Text).str());
    return;
  }
  if (Text.find_first_of(",\"\r\n") == llvm::StringRef::npos) {
    OS << Text;
    return;
  }
  OS << '"';
  for (char C : Text)
    OS << (C == '"' ? "\"\"" : llvm::StringRef(&C, 1));
  OS << '"';
}

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_CSVFIELD_H
