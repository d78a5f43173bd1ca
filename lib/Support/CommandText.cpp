// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows commands and programs to people.

#include "CommandText.h"
#include "llvm/ADT/STLExtras.h"
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

std::string shellWord(StringRef Word) {
  auto IsPlain = [](char C) {
    return isAlnum(C) || StringRef("_./:=,@%+-").contains(C);
  };
  if (!Word.empty() && all_of(Word, IsPlain))
    return Word.str();
  auto IsControl = [](char C) { return uint8_t(C) < ' ' || C == 0x7f; };
  // Control characters would end the line, or hide what a terminal shows.
  bool Escapes = any_of(Word, IsControl);
  std::string Out = Escapes ? "$'" : "'";
  for (char C : Word) {
    if (IsControl(C))
      Out += "\\x" + toHex(StringRef(&C, 1), /*LowerCase=*/true);
    else if (C == '\'')
      Out += Escapes ? "\\'" : "'\\''";
    else if (C == '\\' && Escapes)
      Out += "\\\\";
    else
      Out += C;
  }
  return Out + "'";
}

StringRef programName(StringRef Word) {
  size_t Slash = Word.find('/');
  if (Slash == StringRef::npos || Word.take_front(Slash).contains(' '))
    return Word;
  // Only the last `/` is a separator: parts of a path may contain blanks.
  return Word.substr(Word.rfind('/') + 1);
}

} // namespace memkit
