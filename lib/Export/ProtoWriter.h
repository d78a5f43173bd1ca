// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of protocol buffers.

#ifndef MEMKIT_LIB_EXPORT_PROTOWRITER_H
#define MEMKIT_LIB_EXPORT_PROTOWRITER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstdint>

namespace memkit {

/// Writes the fields of a message, in any order. This class replaces
/// libprotobuf (3 MB in a static tool, and code generated at build time): two
/// exporters write the format, and memkit never reads it.
class ProtoWriter {
public:
  void number(unsigned Field, uint64_t Value) {
    varint(uint64_t(Field) << 3);
    varint(Value);
  }
  void text(unsigned Field, llvm::StringRef Value) {
    varint(uint64_t(Field) << 3 | LengthDelimited);
    varint(Value.size());
    Bytes.append(Value.begin(), Value.end());
  }
  void packed(unsigned Field, llvm::ArrayRef<uint64_t> Values) {
    message(Field, [&](ProtoWriter &To) {
      for (uint64_t V : Values)
        To.varint(V);
    });
  }
  /// A field with a message, written by Fill.
  void message(unsigned Field, llvm::function_ref<void(ProtoWriter &)> Fill) {
    // The length comes before the message but is known only after it: the
    // length is written after the message, then rotated to its front.
    varint(uint64_t(Field) << 3 | LengthDelimited);
    size_t Begin = Bytes.size();
    Fill(*this);
    uint64_t Length = Bytes.size() - Begin;
    varint(Length);
    std::rotate(Bytes.begin() + Begin, Bytes.begin() + Begin + Length,
                Bytes.end());
  }

  llvm::StringRef bytes() const { return {Bytes.data(), Bytes.size()}; }
  void clear() { Bytes.clear(); }

private:
  static constexpr unsigned LengthDelimited = 2;

  void varint(uint64_t Value) {
    for (; Value >= 0x80; Value >>= 7)
      Bytes.push_back(static_cast<char>(Value | 0x80));
    Bytes.push_back(static_cast<char>(Value));
  }

  llvm::SmallVector<char, 0> Bytes;
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_PROTOWRITER_H
