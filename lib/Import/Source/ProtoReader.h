// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads messages in the encoding of Protocol Buffers.

#ifndef MEMKIT_LIB_IMPORT_PROTOREADER_H
#define MEMKIT_LIB_IMPORT_PROTOREADER_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace memkit {

/// Goes through the fields of a message. Damage ends the message and sets
/// failed().
class ProtoReader {
public:
  explicit ProtoReader(llvm::StringRef Message) : Rest(Message) {}

  /// Reads the next field; false: the end, or damage.
  bool next() {
    if (Rest.empty() || Failed)
      return false;
    uint64_t Key = varint();
    Number = uint32_t(Key >> 3);
    Bytes = llvm::StringRef();
    Value = 0;
    switch (Key & 7) {
    case 0:
      Value = varint();
      break;
    case 1:
      take(8);
      break;
    case 2:
      take(varint());
      break;
    case 5:
      take(4);
      break;
    default:
      Failed = true;
    }
    return !Failed;
  }
  bool failed() const { return Failed; }

  uint32_t Number = 0;   ///< of the field
  uint64_t Value = 0;    ///< of a number
  llvm::StringRef Bytes; ///< of a text, a message, or packed numbers

  /// Calls Do with each number of a repeated field, packed or alone. False:
  /// damage.
  template <class F> bool numbers(F Do) {
    if (Bytes.data() == nullptr) {
      Do(Value);
      return true;
    }
    ProtoReader In(Bytes);
    while (!In.Rest.empty() && !In.Failed) {
      uint64_t Next = In.varint();
      if (!In.Failed)
        Do(Next);
    }
    Failed |= In.Failed;
    return !Failed;
  }

private:
  uint64_t varint() {
    uint64_t Result = 0;
    for (unsigned Shift = 0; Shift < 64; Shift += 7) {
      if (Rest.empty())
        break;
      auto Byte = uint8_t(Rest[0]);
      Rest = Rest.drop_front();
      Result |= uint64_t(Byte & 127) << Shift;
      if (!(Byte & 128))
        return Result;
    }
    Failed = true;
    return 0;
  }
  void take(uint64_t Size) {
    Failed |= Size > Rest.size();
    if (Failed)
      return;
    Bytes = Rest.take_front(Size);
    Rest = Rest.drop_front(Size);
  }

  llvm::StringRef Rest;
  bool Failed = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_PROTOREADER_H
