// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys in the bytes of a terminal.

#include "Keys.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;
using namespace memkit;

/// The key of a control sequence with this parameter and last byte.
static KeyKind sequenceKey(StringRef Parameters, char Last) {
  switch (Last) {
  case 'A':
    return KeyKind::Up;
  case 'B':
    return KeyKind::Down;
  case 'C':
    return KeyKind::Right;
  case 'D':
    return KeyKind::Left;
  case 'H':
    return KeyKind::Home;
  case 'F':
    return KeyKind::End;
  case 'Z':
    return KeyKind::BackTab;
  case '~': {
    StringRef Number = Parameters.split(';').first;
    if (Number == "1" || Number == "7")
      return KeyKind::Home;
    if (Number == "4" || Number == "8")
      return KeyKind::End;
    if (Number == "5")
      return KeyKind::PageUp;
    if (Number == "6")
      return KeyKind::PageDown;
    return KeyKind::Unknown;
  }
  default:
    return KeyKind::Unknown;
  }
}

/// A key that begins with Escape.
std::optional<Key> KeyReader::nextSequence(bool IsLast) {
  constexpr size_t MaxSequence = 32;
  bool IsSequence =
      Waiting.size() > 1 && (Waiting[1] == '[' || Waiting[1] == 'O');
  if (!IsSequence) {
    if (Waiting.size() == 1 && !IsLast)
      return std::nullopt;
    Waiting.erase(0, 1);
    return Key{KeyKind::Escape};
  }
  size_t At = 2;
  while (At < Waiting.size() && Waiting[At] >= ' ' && Waiting[At] <= '?')
    ++At;
  if (At == Waiting.size()) {
    if (!IsLast && At < MaxSequence)
      return std::nullopt;
    Waiting.clear();
    return Key{KeyKind::Unknown};
  }
  KeyKind K = sequenceKey(StringRef(Waiting).slice(2, At), Waiting[At]);
  Waiting.erase(0, At + 1);
  return Key{K};
}

std::optional<Key> KeyReader::next(bool IsLast) {
  if (Waiting.empty())
    return std::nullopt;
  constexpr char Escape = '\x1b', Delete = '\x7f', Back = '\b';
  char First = Waiting[0];
  if (First == Escape)
    return nextSequence(IsLast);
  size_t Bytes = getNumBytesForUTF8(static_cast<UTF8>(First));
  if (Bytes > Waiting.size() && !IsLast)
    return std::nullopt;
  Bytes = std::min(Bytes, Waiting.size());
  std::string Text = Waiting.substr(0, Bytes);
  Waiting.erase(0, Bytes);
  if (First == '\r' || First == '\n')
    return Key{KeyKind::Enter};
  if (First == '\t')
    return Key{KeyKind::Tab};
  if (First == Delete || First == Back)
    return Key{KeyKind::Backspace};
  const auto *At = reinterpret_cast<const UTF8 *>(Text.data());
  UTF32 Out = 0;
  UTF32 *To = &Out;
  if (ConvertUTF8toUTF32(&At, At + Bytes, &To, &Out + 1, strictConversion) !=
      conversionOK)
    return Key{KeyKind::Unknown};
  return Key{KeyKind::Text, Out};
}
