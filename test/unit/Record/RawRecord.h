// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a record of any kind, valid or not, from the values of its slots.

#ifndef MEMKIT_TEST_UNIT_RECORD_RAWRECORD_H
#define MEMKIT_TEST_UNIT_RECORD_RAWRECORD_H

#include "Wire/Record.h"

namespace memkit {

/// Size: Record::MaxSize at most.
inline wire::Record rawRecord(uint64_t Tsc, wire::RecordKind Kind,
                              uint64_t Address, uint64_t Size = 0,
                              uint8_t Function = 0, uint32_t Stack = 0,
                              uint32_t Extra = 0) {
  wire::Record R{Tsc, Address, uint64_t(Kind) << 48 | uint64_t(Function) << 56,
                 Stack, Extra};
  wire::InSize::put(R, Size);
  return R;
}

} // namespace memkit

#endif // MEMKIT_TEST_UNIT_RECORD_RAWRECORD_H
