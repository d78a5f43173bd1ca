// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The opcodes of Python's pickle protocols 2 to 5.

#include "PickleOpcodes.h"
#include <array>

using namespace memkit;

namespace {

struct ReadOpcode {
  PickleOp Op;
  const char *Name;
  PickleArgument Argument;
};

struct RefusedOpcode {
  uint8_t Byte;
  const char *Name;
};

using Arg = PickleArgument;

constexpr ReadOpcode AllRead[] = {
    {PickleOp::Proto, "PROTO", Arg::Bytes1},
    {PickleOp::Frame, "FRAME", Arg::Bytes8},
    {PickleOp::Stop, "STOP", Arg::None},
    {PickleOp::Mark, "MARK", Arg::None},
    {PickleOp::None, "NONE", Arg::None},
    {PickleOp::NewTrue, "NEWTRUE", Arg::None},
    {PickleOp::NewFalse, "NEWFALSE", Arg::None},
    {PickleOp::BinInt, "BININT", Arg::Bytes4},
    {PickleOp::BinInt1, "BININT1", Arg::Bytes1},
    {PickleOp::BinInt2, "BININT2", Arg::Bytes2},
    {PickleOp::Long1, "LONG1", Arg::Text1},
    {PickleOp::Long4, "LONG4", Arg::Text4},
    {PickleOp::BinFloat, "BINFLOAT", Arg::Bytes8},
    {PickleOp::ShortBinUnicode, "SHORT_BINUNICODE", Arg::Text1},
    {PickleOp::BinUnicode, "BINUNICODE", Arg::Text4},
    {PickleOp::BinUnicode8, "BINUNICODE8", Arg::Text8},
    {PickleOp::ShortBinString, "SHORT_BINSTRING", Arg::Text1},
    {PickleOp::BinString, "BINSTRING", Arg::Text4},
    {PickleOp::ShortBinBytes, "SHORT_BINBYTES", Arg::Text1},
    {PickleOp::BinBytes, "BINBYTES", Arg::Text4},
    {PickleOp::BinBytes8, "BINBYTES8", Arg::Text8},
    {PickleOp::ByteArray8, "BYTEARRAY8", Arg::Text8},
    {PickleOp::EmptyList, "EMPTY_LIST", Arg::None},
    {PickleOp::EmptyDict, "EMPTY_DICT", Arg::None},
    {PickleOp::EmptyTuple, "EMPTY_TUPLE", Arg::None},
    {PickleOp::Append, "APPEND", Arg::None},
    {PickleOp::Appends, "APPENDS", Arg::None},
    {PickleOp::SetItem, "SETITEM", Arg::None},
    {PickleOp::SetItems, "SETITEMS", Arg::None},
    {PickleOp::Tuple, "TUPLE", Arg::None},
    {PickleOp::Tuple1, "TUPLE1", Arg::None},
    {PickleOp::Tuple2, "TUPLE2", Arg::None},
    {PickleOp::Tuple3, "TUPLE3", Arg::None},
    {PickleOp::BinGet, "BINGET", Arg::Bytes1},
    {PickleOp::LongBinGet, "LONG_BINGET", Arg::Bytes4},
    {PickleOp::BinPut, "BINPUT", Arg::Bytes1},
    {PickleOp::LongBinPut, "LONG_BINPUT", Arg::Bytes4},
    {PickleOp::Memoize, "MEMOIZE", Arg::None},
};

constexpr RefusedOpcode AllRefused[] = {
    {'c', "GLOBAL"},     {0x93, "STACK_GLOBAL"}, {'R', "REDUCE"},
    {'b', "BUILD"},      {'i', "INST"},          {'o', "OBJ"},
    {0x81, "NEWOBJ"},    {0x92, "NEWOBJ_EX"},    {'P', "PERSID"},
    {'Q', "BINPERSID"},  {0x82, "EXT1"},         {0x83, "EXT2"},
    {0x84, "EXT4"},      {0x97, "NEXT_BUFFER"},  {0x98, "READONLY_BUFFER"},
    {0x8f, "EMPTY_SET"}, {0x90, "ADDITEMS"},     {0x91, "FROZENSET"},
    {'0', "POP"},        {'1', "POP_MARK"},      {'2', "DUP"},
    {'F', "FLOAT"},      {'I', "INT"},           {'L', "LONG"},
    {'S', "STRING"},     {'V', "UNICODE"},       {'g', "GET"},
    {'p', "PUT"},        {'d', "DICT"},          {'l', "LIST"},
};

constexpr std::array<PickleOpcode, 256> makeTable() {
  std::array<PickleOpcode, 256> Table{};
  for (const ReadOpcode &O : AllRead)
    Table[uint8_t(O.Op)] = {O.Name, O.Argument, true};
  for (const RefusedOpcode &O : AllRefused)
    Table[O.Byte] = {O.Name, Arg::None, false};
  return Table;
}

} // namespace

const PickleOpcode &memkit::pickleOpcode(uint8_t Byte) {
  static constexpr std::array<PickleOpcode, 256> Table = makeTable();
  return Table[Byte];
}
