// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thrift's compact protocol, as far as Parquet's metadata needs it.
//
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

#ifndef MEMKIT_LIB_EXPORT_THRIFTWRITER_H
#define MEMKIT_LIB_EXPORT_THRIFTWRITER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <utility>

namespace memkit {

/// Writes the fields of structs. Numbers of fields rise within a struct.
class ThriftWriter {
public:
  void int32(int Field, int32_t Value) {
    head(Field, I32);
    zigzag(Value);
  }
  void int64(int Field, int64_t Value) {
    head(Field, I64);
    zigzag(Value);
  }
  void byte(int Field, int8_t Value) {
    head(Field, Byte);
    Out.push_back(char(Value));
  }
  void flag(int Field, bool Value) { head(Field, Value ? True : False); }
  void text(int Field, llvm::StringRef Value) {
    head(Field, Binary);
    bytes(Value);
  }
  void record(int Field, llvm::function_ref<void()> Write) {
    head(Field, Struct);
    body(Write);
  }
  /// Write is called once for each element, and writes its fields.
  void records(int Field, size_t Count,
               llvm::function_ref<void(size_t)> Write) {
    list(Field, Struct, Count);
    for (size_t I = 0; I != Count; ++I)
      body([&] { Write(I); });
  }
  void integers(int Field, llvm::ArrayRef<int32_t> Values) {
    list(Field, I32, Values.size());
    for (int32_t V : Values)
      zigzag(V);
  }
  void texts(int Field, llvm::StringRef Only) {
    list(Field, Binary, 1);
    bytes(Only);
  }
  /// The outermost struct.
  std::string take(llvm::function_ref<void()> Write) {
    Out.clear();
    body(Write);
    return std::move(Out);
  }

private:
  enum Type : uint8_t {
    True = 1,
    False = 2,
    Byte = 3,
    I32 = 5,
    I64 = 6,
    Binary = 8,
    List = 9,
    Struct = 12,
  };
  void varint(uint64_t Value) {
    for (; Value >= 0x80; Value >>= 7)
      Out.push_back(char(Value | 0x80));
    Out.push_back(char(Value));
  }
  void zigzag(int64_t Value) {
    varint(uint64_t(Value) << 1 ^ uint64_t(Value >> 63));
  }
  void bytes(llvm::StringRef Value) {
    varint(Value.size());
    Out += Value;
  }
  void head(int Field, Type T) {
    int Delta = Field - Last;
    if (Delta > 0 && Delta < 16) {
      Out.push_back(char(Delta << 4 | T));
    } else {
      Out.push_back(char(T));
      zigzag(Field);
    }
    Last = Field;
  }
  void list(int Field, Type T, size_t Count) {
    head(Field, List);
    if (Count < 15) {
      Out.push_back(char(Count << 4 | T));
    } else {
      Out.push_back(char(0xf0 | T));
      varint(Count);
    }
  }
  void body(llvm::function_ref<void()> Write) {
    int Outer = std::exchange(Last, 0);
    Write();
    Out.push_back(0);
    Last = Outer;
  }

  std::string Out;
  int Last = 0; ///< field of the current struct
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_THRIFTWRITER_H
