// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows commands and programs to people.

#include "CommandText.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

std::string oneLine(StringRef Text) {
  std::string Out;
  for (char C : Text) {
    if (C == '\n')
      Out += "\\n";
    else if (C == '\t')
      Out += "\\t";
    else if (uint8_t(C) < ' ' || C == 0x7f)
      Out += "\\x" + toHex(StringRef(&C, 1), /*LowerCase=*/true);
    else
      Out += C;
  }
  return Out;
}

std::string commandText(ArrayRef<std::string> Words) {
  return oneLine(join(Words, " "));
}

StringRef programName(StringRef Word) {
  size_t Slash = Word.find('/');
  if (Slash == StringRef::npos || Word.take_front(Slash).contains(' '))
    return Word;
  // Only the last `/` is a separator: parts of a path may contain blanks.
  return Word.substr(Word.rfind('/') + 1);
}

} // namespace memkit
