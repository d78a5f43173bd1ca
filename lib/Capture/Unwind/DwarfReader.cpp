// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of unwind tables, read with bounds.

#include "DwarfReader.h"

using namespace memkit;
using namespace memkit::capture;

uint64_t DwarfReader::moreUleb(uint64_t Value) {
  for (unsigned Shift = 7;; Shift += 7) {
    uint64_t Byte = byte();
    if (Shift < 64)
      Value |= (Byte & 0x7f) << Shift;
    if (Byte < 0x80)
      return Value;
  }
}

int64_t DwarfReader::moreSleb(uint64_t Value) {
  for (unsigned Shift = 7;; Shift += 7) {
    uint64_t Byte = byte();
    if (Shift < 64)
      Value |= (Byte & 0x7f) << Shift;
    if (Byte >= 0x80)
      continue;
    if (Shift + 7 < 64 && (Byte & 0x40))
      Value |= ~uint64_t(0) << (Shift + 7);
    return int64_t(Value);
  }
}

uint64_t DwarfReader::pointerValue(uint8_t Format) {
  switch (Format) {
  case PointerEncoding::Absolute:
  case PointerEncoding::Udata8:
  case PointerEncoding::Sdata8:
    return u64();
  case PointerEncoding::Uleb:
    return uleb();
  case PointerEncoding::Sleb:
    return uint64_t(sleb());
  case PointerEncoding::Udata2:
    return u16();
  case PointerEncoding::Sdata2:
    return uint64_t(int64_t(fixed<int16_t>()));
  case PointerEncoding::Udata4:
    return u32();
  case PointerEncoding::Sdata4:
    return uint64_t(int64_t(fixed<int32_t>()));
  default:
    return fail();
  }
}

uint64_t DwarfReader::pointer(uint8_t Encoding, uintptr_t DataBase) {
  if (Encoding == PointerEncoding::Omitted)
    return 0;
  if (Encoding == PointerEncoding::Aligned) {
    skip(-uintptr_t(At) & 7);
    return u64();
  }
  uint64_t Base = uintptr_t(At);
  uint64_t Value = pointerValue(Encoding & PointerEncoding::FormatMask);
  switch (Encoding & PointerEncoding::BaseMask) {
  case PointerEncoding::Absolute:
    return Value;
  case PointerEncoding::PcRelative:
    return Value ? Base + Value : 0;
  case PointerEncoding::DataRelative:
    return Value ? DataBase + Value : 0;
  default:
    return fail();
  }
}
