// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes Python's pickles.

#include "PickleWriter.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/JSON.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

static constexpr char Memoize = '\x94';

PickleWriter::PickleWriter(raw_ostream &OS) : OS(OS) { OS << "\x80\x04"; }

void PickleWriter::little(uint64_t Value, unsigned Bytes) {
  for (unsigned I = 0; I != Bytes; ++I)
    OS << char(Value >> 8 * I);
}

void PickleWriter::number(uint64_t Value) {
  signedNumber(int64_t(std::min<uint64_t>(Value, INT64_MAX)));
}

void PickleWriter::signedNumber(int64_t Value) {
  if (Value >= 0 && Value < 256) {
    OS << 'K' << char(Value);
  } else if (Value >= 0 && Value < 65536) {
    OS << 'M';
    little(uint64_t(Value), 2);
  } else if (Value == int32_t(Value)) {
    OS << 'J';
    little(uint64_t(Value), 4);
  } else {
    OS << '\x8a' << '\x08';
    little(uint64_t(Value), 8);
  }
}

void PickleWriter::real(double Value) {
  OS << 'G';
  // The one value whose first byte comes first.
  little(byteswap(bit_cast<uint64_t>(Value)), 8);
}

void PickleWriter::text(StringRef Text) {
  auto [It, New] = Texts.try_emplace(Text, Defined);
  if (!New)
    return use(It->second);
  ++Defined;
  // Python reads no text that is not UTF-8.
  std::string Fixed = json::isUTF8(Text) ? Text.str() : json::fixUTF8(Text);
  if (Fixed.size() < 256) {
    OS << '\x8c' << char(Fixed.size());
  } else {
    OS << 'X';
    little(Fixed.size(), 4);
  }
  OS << Fixed << Memoize;
}

void PickleWriter::use(uint32_t Number) {
  if (Number < 256) {
    OS << 'h' << char(Number);
  } else {
    OS << 'j';
    little(Number, 4);
  }
}

void PickleWriter::next() {
  if (++InPiece != MaxPiece)
    return;
  OS << Ends << '(';
  InPiece = 0;
}

uint32_t PickleWriter::fill(char Begin, char End, function_ref<void()> Fill) {
  OS << Begin << Memoize << '(';
  uint32_t Number = Defined++;
  char OuterEnds = std::exchange(Ends, End);
  unsigned OuterInPiece = std::exchange(InPiece, 0);
  Fill();
  OS << End;
  Ends = OuterEnds;
  InPiece = OuterInPiece;
  return Number;
}
