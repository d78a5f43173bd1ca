// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds lines of source that may give away a password or a key.

#include "SecretText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

/// Whether a quoted text of several characters follows.
static bool hasQuotedText(StringRef Text) {
  size_t Open = Text.find_first_of("\"'`");
  if (Open == StringRef::npos)
    return false;
  size_t Close = Text.find(Text[Open], Open + 1);
  constexpr size_t Short = 4;
  return Close != StringRef::npos && Close - Open > Short;
}

/// Whether a word of at least 20 letters and digits, with both, stands in
/// quotes: a key without a name.
static bool hasQuotedKey(StringRef Text) {
  constexpr size_t Long = 20;
  SmallVector<StringRef, 8> Parts;
  SplitString(Text, Parts, "\"'`");
  return any_of(drop_begin(Parts, Parts.empty() ? 0 : 1), [](StringRef P) {
    auto IsKey = [](char C) {
      return isAlnum(C) || StringRef("+/=_-.").contains(C);
    };
    return P.size() >= Long && all_of(P, IsKey) && any_of(P, isDigit) &&
           any_of(P, isAlpha) && !P.contains('/') && !P.contains("..");
  });
}

bool looksSecret(StringRef Line) {
  static constexpr StringLiteral Words[] = {
      "password",   "passwd",      "passphrase", "secret",
      "token",      "api_key",     "apikey",     "api-key",
      "credential", "private_key", "auth",       "access_key"};
  std::string Lower = Line.lower();
  for (StringRef W : Words)
    if (size_t At = Lower.find(W); At != std::string::npos)
      if (hasQuotedText(Line.drop_front(At)))
        return true;
  return hasQuotedKey(Line) || Line.contains("-----BEGIN") ||
         (Line.contains("://") && Line.contains('@'));
}

} // namespace memkit
