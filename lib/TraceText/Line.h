// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a line of the text form.

#ifndef MEMKIT_LIB_TRACETEXT_LINE_H
#define MEMKIT_LIB_TRACETEXT_LINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace memkit::tracetext {

/// A word, a string, or a list of them. Points into the text.
struct Value {
  enum ValueKind : uint8_t { Word, String, List } K = Word;
  llvm::StringRef
      Spelling;           ///< of a String without its quotes, of a List its `[`
  std::string Text;       ///< of a String: its text without escapes
  unsigned FirstItem = 0; ///< of a List: its part of Line::Items
  unsigned NumItems = 0;

  /// The begin in the text; of a String, its quote.
  const char *loc() const { return Spelling.data() - (K == String); }
  /// The text of a Word or a String.
  llvm::StringRef str() const { return K == String ? Text : Spelling; }
};

struct Field {
  llvm::StringRef Name;
  Value V;
  bool Used = false;
};

/// The first error of a text, with its place.
struct TextError {
  const char *Loc = nullptr;
  std::string What;
  explicit operator bool() const { return Loc; }
  /// Keeps only the first error. Returns false, for `return E.set(...)`.
  bool set(const char *L, std::string W) {
    if (!Loc) {
      Loc = L;
      What = std::move(W);
    }
    return false;
  }
};

/// One line: its first word, values without a name, fields.
struct Line {
  llvm::SmallVector<Value, 8> Values; ///< Values[0] is the first word
  llvm::SmallVector<Field, 16> Fields;
  llvm::SmallVector<Value, 8> Items; ///< of all lists
  const char *End = nullptr;

  llvm::ArrayRef<Value> items(const Value &List) const {
    return llvm::ArrayRef<Value>(Items).slice(List.FirstItem, List.NumItems);
  }
  const char *loc() const { return Values.empty() ? End : Values[0].loc(); }

  /// Parses Text, one line without its end. A line with only a comment has no
  /// values. False: E has the error.
  bool parse(llvm::StringRef Text, TextError &E);
};

} // namespace memkit::tracetext

#endif // MEMKIT_LIB_TRACETEXT_LINE_H
