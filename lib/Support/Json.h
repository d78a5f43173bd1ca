// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a trace as JSON.
//
// Texts of a trace hold any bytes. In JSON they are the same as in text for
// people (oneLine()): UTF-8 that a terminal shows as it is.

#ifndef MEMKIT_LIB_SUPPORT_JSON_H
#define MEMKIT_LIB_SUPPORT_JSON_H

#include "Support/CommandText.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace memkit {

inline llvm::json::Value jsonText(llvm::StringRef Text) {
  return oneLine(Text);
}

/// The same, null when the text is empty.
inline llvm::json::Value jsonTextOrNull(llvm::StringRef Text) {
  return Text.empty() ? llvm::json::Value(nullptr) : jsonText(Text);
}

/// Null for a value that is not known.
template <class T> llvm::json::Value jsonIfKnown(bool IsKnown, T Value) {
  return IsKnown ? llvm::json::Value(Value) : llvm::json::Value(nullptr);
}
template <class T> llvm::json::Value jsonOrNull(const std::optional<T> &Value) {
  return Value ? llvm::json::Value(*Value) : llvm::json::Value(nullptr);
}

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_JSON_H
