// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows commands and programs to people.

#include "CommandText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include <optional>

using namespace llvm;

namespace memkit {

/// The first character of Text, and the number of its bytes; without a value
/// for a byte that is no UTF-8.
static std::pair<std::optional<uint32_t>, size_t> firstOf(StringRef Text) {
  auto *From = reinterpret_cast<const UTF8 *>(Text.data());
  if (*From < 0x80)
    return {*From, 1};
  size_t Bytes = getNumBytesForUTF8(*From);
  if (Bytes > Text.size() || !isLegalUTF8Sequence(From, From + Bytes))
    return {std::nullopt, 1};
  UTF32 Value = 0, *To = &Value;
  if (ConvertUTF8toUTF32(&From, From + Bytes, &To, To + 1, strictConversion) !=
      conversionOK)
    return {std::nullopt, 1};
  return {Value, Bytes};
}

/// Whether the character changes the direction of text, or ends lines.
static bool isDirectionOrLine(uint32_t C) {
  return C == 0x061c || C == 0x200e || C == 0x200f ||
         (C >= 0x2028 && C <= 0x202e) || (C >= 0x2066 && C <= 0x2069);
}

static bool isControl(uint32_t C) {
  return C < ' ' || (C >= 0x7f && C <= 0x9f);
}

bool isHarmless(StringRef Text) {
  auto IsPlain = [](char C) { return uint8_t(C) - 0x20u < 0x5fu; };
  Text = Text.drop_while(IsPlain);
  while (!Text.empty()) {
    auto [C, Bytes] = firstOf(Text);
    if (!C || isControl(*C) || isDirectionOrLine(*C))
      return false;
    Text = Text.drop_front(Bytes).drop_while(IsPlain);
  }
  return true;
}

static std::string harmless(StringRef Text, bool KeepsLines) {
  std::string Out;
  while (!Text.empty()) {
    auto [C, Bytes] = firstOf(Text);
    StringRef Raw = Text.take_front(Bytes);
    Text = Text.drop_front(Bytes);
    bool IsEnd =
        C == '\n' && KeepsLines && (Text.empty() || Text.starts_with(" "));
    if (C == '\n' && !IsEnd)
      Out += "\\n";
    else if (C == '\t')
      Out += "\\t";
    else if (!C || (*C < 0x80 && isControl(*C) && C != '\n'))
      Out += "\\x" + toHex(Raw, /*LowerCase=*/true);
    else if ((isControl(*C) && C != '\n') || isDirectionOrLine(*C))
      Out += "\\u" + utohexstr(*C, /*LowerCase=*/true, /*Width=*/4);
    else
      Out += Raw;
  }
  return Out;
}

std::string oneLine(StringRef Text) {
  return isHarmless(Text) ? Text.str() : harmless(Text, /*KeepsLines=*/false);
}

std::string harmlessLines(StringRef Text) {
  return isHarmless(Text) ? Text.str() : harmless(Text, /*KeepsLines=*/true);
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
  // What is not harmless would end the line, or hide what a terminal shows.
  bool Escapes = !isHarmless(Word);
  auto IsControl = [Escapes](char C) {
    return Escapes && (uint8_t(C) < ' ' || uint8_t(C) >= 0x7f);
  };
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
