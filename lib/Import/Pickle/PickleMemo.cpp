// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memo of a pickle: values that the pickle uses again by a number.

#include "PickleMemo.h"
#include "Import/Source/ByteReader.h"
#include "PickleOpcodes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace memkit;

static Error refuse(const ByteReader &From, uint8_t Byte, uint64_t At) {
  const char *Name = pickleOpcode(Byte).Name;
  if (!Name)
    return From.fail(
        "0x" + utohexstr(Byte, true, 2) + " is no opcode of a pickle", At);
  return From.fail(Twine("the pickle has the opcode ") + Name +
                       ", which a memory snapshot has no use for",
                   At);
}

static void skipArgument(ByteReader &From, PickleArgument A) {
  switch (A) {
  case PickleArgument::None:
    return;
  case PickleArgument::Bytes1:
    return From.skip(1);
  case PickleArgument::Bytes2:
    return From.skip(2);
  case PickleArgument::Bytes4:
    return From.skip(4);
  case PickleArgument::Bytes8:
    return From.skip(8);
  case PickleArgument::Text1:
    return From.skip(From.u8());
  case PickleArgument::Text4:
    return From.skip(From.u32());
  case PickleArgument::Text8:
    return From.skip(From.u64());
  }
}

/// Numbers the used values.
void PickleMemo::count() {
  size_t Count = 0;
  Before.reserve(Used.size());
  for (uint64_t Word : Used) {
    Before.push_back(uint32_t(Count));
    Count += countBits(Word);
  }
  Values.resize(Count, Undefined);
  for (unsigned Number = 0; Number != SmallPlaces.size(); ++Number)
    SmallPlaces[Number] = isUsed(Number) ? uint32_t(place(Number)) : NoPlace;
}

/// scan() of the opcodes that are frequent and have all their bytes in memory,
/// up to the first other one; returns their size. Each opcode has its own
/// constant size: with sizes from a table the processor waits for the size of
/// one opcode before it looks at the next.
size_t PickleMemo::scanQuickly(ArrayRef<uint8_t> Bytes, uint64_t &Defined) {
  const uint8_t *At = Bytes.begin();
  while (Bytes.end() - At >= MaxQuickPickleBytes) {
    switch (PickleOp(*At)) {
    case PickleOp::BinGet:
      if (At[1] >= Defined)
        return size_t(At - Bytes.begin());
      use(At[1]);
      At += 2;
      continue;
    case PickleOp::LongBinGet: {
      uint32_t Number = support::endian::read32le(At + 1);
      if (Number >= Defined)
        return size_t(At - Bytes.begin());
      use(Number);
      At += 5;
      continue;
    }
    case PickleOp::Memoize:
      ++Defined;
      ++At;
      continue;
    case PickleOp::LongBinPut:
      ++Defined;
      At += 5;
      continue;
    case PickleOp::Mark:
    case PickleOp::EmptyDict:
    case PickleOp::EmptyList:
    case PickleOp::SetItems:
    case PickleOp::Appends:
      ++At;
      continue;
    case PickleOp::BinInt1:
      At += 2;
      continue;
    case PickleOp::BinInt2:
      At += 3;
      continue;
    case PickleOp::BinInt:
      At += 5;
      continue;
    case PickleOp::Long1:
      if (At[1] > MaxQuickPickleBytes - 2)
        return size_t(At - Bytes.begin());
      At += 2 + At[1];
      continue;
    default:
      return size_t(At - Bytes.begin());
    }
  }
  return size_t(At - Bytes.begin());
}

Expected<PickleMemo> PickleMemo::scan(ByteReader &From) {
  PickleMemo Memo;
  uint64_t Defined = 0;
  while (true) {
    From.skip(Memo.scanQuickly(From.buffered(), Defined));
    uint8_t Byte = From.u8();
    if (LLVM_UNLIKELY(From.failed()))
      return From.takeError();
    PickleOp Op = PickleOp(Byte);
    if (Op == PickleOp::BinGet || Op == PickleOp::LongBinGet) {
      uint32_t Number = Op == PickleOp::BinGet ? From.u8() : From.u32();
      // A number takes a bit: no number is larger than the values so far.
      if (Number >= Defined)
        return From.takeErrorOr("the pickle uses value " + Twine(Number) +
                                " of its memo, which has " + Twine(Defined) +
                                " values so far");
      Memo.use(Number);
      continue;
    }
    const PickleOpcode &Known = pickleOpcode(Byte);
    if (LLVM_UNLIKELY(!Known.IsRead))
      return refuse(From, Byte, From.offset() - 1);
    Defined += Op == PickleOp::Memoize || Op == PickleOp::BinPut ||
               Op == PickleOp::LongBinPut;
    if (Op == PickleOp::Stop)
      break;
    skipArgument(From, Known.Argument);
  }
  Memo.count();
  return Memo;
}
