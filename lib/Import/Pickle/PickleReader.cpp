// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine that runs a pickle's opcodes.

#include "PickleReader.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include <cassert>

using namespace llvm;
using namespace memkit;

Error PickleReader::run() {
  while (!IsDone) {
    stepQuickly();
    At = From.offset();
    Error E = step(PickleOp(From.u8()));
    if (LLVM_UNLIKELY(bool(E)))
      return E;
    if (LLVM_UNLIKELY(From.failed()))
      return From.takeError();
    if (LLVM_UNLIKELY(Stack.size() >= LookAt))
      if (Error Full = lookAtSize())
        return Full;
    if (LLVM_UNLIKELY(Store.streamWords() > PickleStore::MaxStreamWords))
      return fail("a value takes more than " +
                  Twine(PickleStore::MaxStreamWords >> 17) + " MiB");
  }
  return Error::success();
}

/// A number of 1 to 8 bytes that a slot holds; else PickleMemo::Undefined. At
/// has MaxQuickPickleBytes.
static PickleSlot quickLong(const uint8_t *At) {
  unsigned Unused = 64 - 8u * At[1];
  if (Unused >= 64)
    return PickleMemo::Undefined;
  int64_t Value =
      int64_t(support::endian::read64le(At + 2) << Unused) >> Unused;
  return PickleSlot::fits(Value)
             ? PickleSlot::of(PickleSlot::Int, uint64_t(Value))
             : PickleMemo::Undefined;
}

/// step() of opcodes that push a slot, need no new node and have all their
/// bytes in memory, up to the first other one. In a function of their own,
/// without errors, the compiler keeps the place in the file in a register.
void PickleReader::stepQuickly() {
  ArrayRef<uint8_t> Bytes = From.buffered();
  const uint8_t *At = Bytes.begin(), *End = Bytes.end();
  // run() looks at the stack after the opcode that makes LookAt values.
  assert(Stack.size() < LookAt);
  size_t Count = 0, Room = std::min(Pushed.size(), LookAt - Stack.size() - 1);
  while (End - At >= MaxQuickPickleBytes && Count != Room) {
    PickleSlot S = PickleMemo::Undefined;
    unsigned Size = 2;
    switch (PickleOp(*At)) {
    case PickleOp::BinGet:
      S = get(Memo.smallPlace(At[1]));
      break;
    case PickleOp::LongBinGet:
      S = get(placeOf(support::endian::read32le(At + 1)));
      Size = 5;
      break;
    case PickleOp::BinInt1:
      S = PickleSlot::of(PickleSlot::Int, At[1]);
      break;
    case PickleOp::BinInt2:
      S = PickleSlot::of(PickleSlot::Int, support::endian::read16le(At + 1));
      Size = 3;
      break;
    case PickleOp::BinInt:
      S = PickleSlot::of(
          PickleSlot::Int,
          uint64_t(int64_t(int32_t(support::endian::read32le(At + 1)))));
      Size = 5;
      break;
    case PickleOp::Long1:
      S = quickLong(At);
      Size = 2u + At[1];
      break;
    default:
      break;
    }
    if (S == PickleMemo::Undefined)
      break;
    Pushed[Count++] = S;
    At += Size;
  }
  Stack.insert(Stack.end(), Pushed.begin(), Pushed.begin() + Count);
  From.skip(size_t(At - Bytes.begin()));
}

/// The opcodes that nearly all bytes of a snapshot belong to.
Error PickleReader::step(PickleOp Op) {
  switch (Op) {
  case PickleOp::BinGet:
    return pushPlace(Memo.smallPlace(From.u8()));
  case PickleOp::LongBinGet:
    return pushPlace(placeOf(From.u32()));
  case PickleOp::Memoize:
    return put(Defined);
  case PickleOp::BinInt1:
    push(PickleSlot::of(PickleSlot::Int, From.u8()));
    return Error::success();
  case PickleOp::BinInt2:
    push(PickleSlot::of(PickleSlot::Int, From.u16()));
    return Error::success();
  case PickleOp::BinInt:
    push(Store.integer(int32_t(From.u32())));
    return Error::success();
  case PickleOp::Long1:
    return pushLong(From.u8());
  case PickleOp::ShortBinUnicode:
    return pushText(From.u8());
  case PickleOp::BinUnicode:
    return pushText(From.u32());
  case PickleOp::EmptyDict:
    pushContainer(PickleKind::Dict);
    return Error::success();
  case PickleOp::EmptyList:
    pushContainer(PickleKind::List);
    return Error::success();
  case PickleOp::Mark:
    return pushMark();
  case PickleOp::SetItems:
    return setItems(false);
  case PickleOp::Appends:
    return append(false);
  default:
    return stepRare(Op);
  }
}

Error PickleReader::stepRare(PickleOp Op) {
  switch (Op) {
  case PickleOp::Proto:
    From.skip(1);
    return Error::success();
  case PickleOp::Frame:
    From.skip(8);
    return Error::success();
  case PickleOp::Stop:
    return stop();
  case PickleOp::None:
    push(PickleSlot::of(PickleSlot::None, 0));
    return Error::success();
  case PickleOp::NewTrue:
  case PickleOp::NewFalse:
    push(PickleSlot::of(PickleSlot::Bool, Op == PickleOp::NewTrue));
    return Error::success();
  case PickleOp::Long4:
    return pushLong(From.u32());
  case PickleOp::BinFloat:
    push(Store.real(bit_cast<double>(byteswap(From.u64()))));
    return Error::success();
  case PickleOp::ShortBinString:
  case PickleOp::ShortBinBytes:
    return pushText(From.u8());
  case PickleOp::BinString:
  case PickleOp::BinBytes:
    return pushText(From.u32());
  case PickleOp::BinUnicode8:
  case PickleOp::BinBytes8:
  case PickleOp::ByteArray8:
    return pushText(From.u64());
  case PickleOp::EmptyTuple:
    return tuple(0);
  case PickleOp::Tuple1:
    return tuple(1);
  case PickleOp::Tuple2:
    return tuple(2);
  case PickleOp::Tuple3:
    return tuple(3);
  case PickleOp::Tuple:
    return tupleOfMark();
  case PickleOp::Append:
    return append(true);
  case PickleOp::SetItem:
    return setItems(true);
  case PickleOp::BinPut:
    return put(From.u8());
  case PickleOp::LongBinPut:
    return put(From.u32());
  default:
    // PickleMemo::scan() has refused all others; the end of the file is 0.
    return From.takeErrorOr("an unknown opcode");
  }
}

Error PickleReader::pushText(uint64_t Size) {
  push(Store.text(From.take(Size)));
  return Error::success();
}

/// A number of Size bytes in two's complement, lowest first.
Error PickleReader::pushLong(uint64_t Size) {
  StringRef Bytes = From.take(Size);
  if (Bytes.size() > 9 ||
      (Bytes.size() == 9 && (Bytes.back() || int8_t(Bytes[7]) >= 0))) {
    push(PickleSlot::of(PickleSlot::Other, 0));
    return Error::success();
  }
  uint64_t Value = !Bytes.empty() && int8_t(Bytes.back()) < 0 ? ~0ull : 0;
  for (char Byte : reverse(Bytes))
    Value = Value << 8 | uint8_t(Byte);
  push(Bytes.size() == 9 ? Store.bigInteger(Value, true)
                         : Store.integer(int64_t(Value)));
  return Error::success();
}

/// Pushes the value of a place of the memo.
Error PickleReader::pushPlace(size_t Place) {
  PickleSlot Got = get(Place);
  if (LLVM_LIKELY(Got != PickleMemo::Undefined)) {
    push(Got);
    return Error::success();
  }
  // The end of the file gives a number that scan() has not seen.
  if (Place == PickleMemo::NoPlace)
    return From.takeErrorOr("a number of the memo changed in the file");
  PickleSlot S = Memo.get(Place);
  if (S == PickleMemo::Undefined)
    return fail("the pickle uses a value of its memo before its definition");
  return fail("the pickle uses the list of offset " + Twine(Store.offset(S)) +
              " a second time");
}

/// Keeps the value before under a number that the pickle uses.
Error PickleReader::define(uint64_t Number) {
  if (!above())
    return fail("no value for the memo");
  PickleSlot S = Stack.back();
  size_t Place = Memo.place(Number);
  Memo.set(Place, S);
  if (S.tag() != PickleSlot::Stream)
    return Error::success();
  if (Store.isContainer(S))
    Store.setShared(S);
  Waiting.push_back(Place);
  return Error::success();
}

Error PickleReader::stop() {
  if (Marks.size() != 1 || Stack.size() != 1)
    return fail("the pickle ends with " + Twine(Stack.size()) +
                " values, not with one");
  IsDone = true;
  return To.root(PickleValue(Store, Stack.front()));
}
