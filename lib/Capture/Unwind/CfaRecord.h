// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of .eh_frame.
//
// The record of a function (FDE), found by pc, with the one that it shares with
// others (CIE).

#ifndef MEMKIT_CAPTURE_UNWIND_CFARECORD_H
#define MEMKIT_CAPTURE_UNWIND_CFARECORD_H

#include "DwarfReader.h"
#include "EhFrame.h"

namespace memkit::capture {

/// What the functions of a CIE share.
struct CommonRecord {
  ByteSpan Program; ///< the instructions that make the first row
  uint64_t CodeAlign = 1;
  int64_t DataAlign = 1;
  uint8_t Pointers = PointerEncoding::Absolute; ///< in its FDEs
  bool SizedAugmentation = false;
  bool SignalFrame = false;
};

struct FunctionRecord {
  CommonRecord Common;
  AddressRange Code;
  ByteSpan Program;
};

/// The record whose function has \p Pc. False: none, or a corrupt one.
bool findFunction(const EhFrame &Tables, uintptr_t Pc, FunctionRecord &F);

/// The record of a function at \p Address. False: it is none, or corrupt.
bool readFunction(const EhFrame &Tables, uintptr_t Address, FunctionRecord &F);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_CFARECORD_H
