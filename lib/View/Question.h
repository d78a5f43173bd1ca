// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A question of the page, as its server takes it.

#ifndef MEMKIT_LIB_VIEW_QUESTION_H
#define MEMKIT_LIB_VIEW_QUESTION_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace memkit {

/// The text of an address, with `%20` and `+` read as what they stand for.
std::string decoded(llvm::StringRef Text);
/// The inverse: letters, digits, `/`, `.`, `-` and `_` stay.
std::string encoded(llvm::StringRef Text);

/// `profile?by=line&space=1`: parsed once, where it comes in. A parameter that
/// is named twice has its first value; unknown parameters do no harm.
class Question {
public:
  /// Query: `a=1&b=x%20y`, as in an address.
  explicit Question(llvm::StringRef Name, llvm::StringRef Query = "");

  llvm::StringRef name() const { return Name; }
  /// The value of a parameter; empty: not there.
  llvm::StringRef text(llvm::StringRef Key) const {
    auto At = Values.find(Key);
    return At == Values.end() ? llvm::StringRef() : At->second;
  }
  /// Whether the value of a parameter is 1.
  bool isOn(llvm::StringRef Key) const { return text(Key) == "1"; }
  /// A whole number of at most Max; Usual: not there. Errors: RequestError.
  llvm::Expected<uint64_t> number(llvm::StringRef Key, uint64_t Usual,
                                  uint64_t Max) const;

private:
  std::string Name;
  llvm::StringMap<std::string> Values;
};

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_QUESTION_H
