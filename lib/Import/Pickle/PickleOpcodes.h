// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The opcodes of Python's pickle protocols 2 to 5.

#ifndef MEMKIT_LIB_IMPORT_PICKLEOPCODES_H
#define MEMKIT_LIB_IMPORT_PICKLEOPCODES_H

#include <cstddef>
#include <cstdint>

namespace memkit {

/// The opcodes that Pickle.h reads, by their byte in the file. Named as in
/// Python's module pickletools.
enum class PickleOp : uint8_t {
  Proto = 0x80,
  Frame = 0x95,
  Stop = '.',
  Mark = '(',
  None = 'N',
  NewTrue = 0x88,
  NewFalse = 0x89,
  BinInt = 'J',
  BinInt1 = 'K',
  BinInt2 = 'M',
  Long1 = 0x8a,
  Long4 = 0x8b,
  BinFloat = 'G',
  ShortBinUnicode = 0x8c,
  BinUnicode = 'X',
  BinUnicode8 = 0x8d,
  ShortBinString = 'U',
  BinString = 'T',
  ShortBinBytes = 'C',
  BinBytes = 'B',
  BinBytes8 = 0x8e,
  ByteArray8 = 0x96,
  EmptyList = ']',
  EmptyDict = '}',
  EmptyTuple = ')',
  Append = 'a',
  Appends = 'e',
  SetItem = 's',
  SetItems = 'u',
  Tuple = 't',
  Tuple1 = 0x85,
  Tuple2 = 0x86,
  Tuple3 = 0x87,
  BinGet = 'h',
  LongBinGet = 'j',
  BinPut = 'q',
  LongBinPut = 'r',
  Memoize = 0x94,
};

/// Of the longest opcode that PickleMemo::scanQuickly() and
/// PickleReader::stepQuickly() take: Long1 of 8 bytes.
inline constexpr ptrdiff_t MaxQuickPickleBytes = 10;

/// What follows an opcode's byte.
enum class PickleArgument : uint8_t {
  None,
  Bytes1, ///< so many bytes
  Bytes2,
  Bytes4,
  Bytes8,
  Text1, ///< a length of so many bytes, then the text
  Text4,
  Text8,
};

struct PickleOpcode {
  const char *Name; ///< null: no opcode of any protocol
  PickleArgument Argument;
  bool IsRead; ///< false: the reader refuses the opcode
};

/// Of every byte. Opcodes that call code, or that belong to the protocols 0
/// and 1, have a name alone.
const PickleOpcode &pickleOpcode(uint8_t Byte);

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_PICKLEOPCODES_H
