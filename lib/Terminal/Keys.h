// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys in the bytes of a terminal.

#ifndef MEMKIT_LIB_TERMINAL_KEYS_H
#define MEMKIT_LIB_TERMINAL_KEYS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace memkit {

enum class KeyKind : uint8_t {
  Text, ///< Key::CodePoint
  Enter,
  Escape,
  Backspace,
  Tab,
  BackTab,
  Up,
  Down,
  Left,
  Right,
  Home,
  End,
  PageUp,
  PageDown,
  Unknown,
};

struct Key {
  KeyKind Kind = KeyKind::Unknown;
  uint32_t CodePoint = 0; ///< of Text; control keys below 32
};

/// Takes keys out of bytes as they come, which may end within a key.
class KeyReader {
public:
  void add(llvm::StringRef Bytes) { Waiting += Bytes; }

  /// The next key. None: none has come yet. IsLast: nothing follows soon, so an
  /// Escape is the key, and no begin of another.
  std::optional<Key> next(bool IsLast);

  /// Whether bytes wait for the rest of their key.
  bool isWithinKey() const { return !Waiting.empty(); }

private:
  std::optional<Key> nextSequence(bool IsLast);

  std::string Waiting;
};

} // namespace memkit

#endif // MEMKIT_LIB_TERMINAL_KEYS_H
