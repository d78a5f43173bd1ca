// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the words of a line.

#ifndef MEMKIT_LIB_IMPORT_TEXTCURSOR_H
#define MEMKIT_LIB_IMPORT_TEXTCURSOR_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace memkit {

/// Reads words that single blanks separate, from left to right. A word that is
/// missing or of another form sets failed(), and counts as 0.
class TextCursor {
public:
  explicit TextCursor(llvm::StringRef Line) : Rest(Line) {}

  bool atEnd() const { return Rest.empty(); }
  bool failed() const { return Failed; }
  llvm::StringRef rest() const { return Rest; }

  /// Up to the next blank, which is read, too.
  llvm::StringRef word() {
    auto [Word, After] = Rest.split(' ');
    Rest = After;
    return Word;
  }
  /// Lower- or upper-case hexadecimal digits without a prefix, at most 16.
  uint64_t hex() {
    uint64_t Value = 0;
    size_t At = 0;
    for (; At != Rest.size() && Rest[At] != ' '; ++At) {
      unsigned Digit = llvm::hexDigitValue(Rest[At]);
      Failed |= Digit > 15 || At == 16;
      Value = Value << 4 | (Digit & 15);
    }
    Failed |= At == 0;
    Rest = Rest.drop_front(At == Rest.size() ? At : At + 1);
    return Failed ? 0 : Value;
  }

private:
  llvm::StringRef Rest;
  bool Failed = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_TEXTCURSOR_H
