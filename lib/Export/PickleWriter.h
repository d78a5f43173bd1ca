// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes Python's pickles.

#ifndef MEMKIT_LIB_EXPORT_PICKLEWRITER_H
#define MEMKIT_LIB_EXPORT_PICKLEWRITER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>

namespace memkit {

/// Writes protocol 4, value by value, with the opcodes alone that Python's
/// pickler uses for plain values: readers other than Python know no others.
/// Numbers have at most 8 bytes. Memory: the texts.
class PickleWriter {
public:
  explicit PickleWriter(llvm::raw_ostream &OS);
  /// Ends the pickle behind its one value.
  void finish() { OS << '.'; }

  void none() { OS << 'N'; }
  void boolean(bool Value) { OS << (Value ? '\x88' : '\x89'); }
  /// Below 2^63; larger ones become 2^63 - 1.
  void number(uint64_t Value);
  void signedNumber(int64_t Value);
  void real(double Value);
  /// A text; a text that was written before becomes a reference.
  void text(llvm::StringRef Text);
  /// A pair of the two values before.
  void pair() { OS << '\x86' << '\x94', ++Defined; }

  /// A list or dict. Fill writes the elements, calling next() behind each; in a
  /// dict an element is a key and a value. Returns the container's number, for
  /// use().
  uint32_t list(llvm::function_ref<void()> Fill) {
    return fill(']', 'e', Fill);
  }
  uint32_t dict(llvm::function_ref<void()> Fill) {
    return fill('}', 'u', Fill);
  }
  void next();
  /// A container that was written before.
  void use(uint32_t Number);

  void entry(llvm::StringRef Key, uint64_t Value) {
    text(Key);
    number(Value);
    next();
  }
  void entry(llvm::StringRef Key, llvm::StringRef Value) {
    text(Key);
    text(Value);
    next();
  }

private:
  /// Python reads a long list in pieces.
  static constexpr unsigned MaxPiece = 1000;

  uint32_t fill(char Begin, char End, llvm::function_ref<void()> Fill);
  void little(uint64_t Value, unsigned Bytes);

  llvm::raw_ostream &OS;
  llvm::StringMap<uint32_t> Texts; ///< their numbers
  uint32_t Defined = 0;            ///< texts and containers so far
  char Ends = 0;                   ///< of the container
  unsigned InPiece = 0;            ///< elements since its last mark
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_PICKLEWRITER_H
