// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A question of the page, as its server takes it.

#include "Question.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

std::string decoded(StringRef Text) {
  std::string Out;
  for (size_t I = 0; I != Text.size(); ++I) {
    unsigned Byte = 0;
    if (Text[I] == '+') {
      Out += ' ';
    } else if (Text[I] == '%' && I + 2 < Text.size() &&
               !Text.substr(I + 1, 2).getAsInteger(16, Byte)) {
      Out += static_cast<char>(Byte);
      I += 2;
    } else {
      Out += Text[I];
    }
  }
  return Out;
}

std::string encoded(StringRef Text) {
  std::string Out;
  for (char C : Text)
    if (isAlnum(C) || StringRef("/.-_").contains(C))
      Out += C;
    else
      Out += "%" + toHex(StringRef(&C, 1));
  return Out;
}

Question::Question(StringRef Of, StringRef Query) : Name(Of) {
  for (StringRef Pair : split(Query, '&')) {
    auto [Key, Value] = Pair.split('=');
    Values.try_emplace(Key, decoded(Value));
  }
}

Expected<uint64_t> Question::number(StringRef Key, uint64_t Usual,
                                    uint64_t Max) const {
  StringRef Text = text(Key);
  uint64_t Value = 0;
  if (Text.empty())
    return Usual;
  if (Text.getAsInteger(10, Value) || Value > Max)
    return makeRequestError(Key + "=" + Text + ": not a number up to " +
                            Twine(Max));
  return Value;
}

} // namespace memkit
