// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of .eh_frame.
//
// Finds the record of a function (FDE) by pc, with the record that several
// functions share (CIE).

#ifndef MEMKIT_CAPTURE_UNWIND_CFARECORD_H
#define MEMKIT_CAPTURE_UNWIND_CFARECORD_H

#include "DwarfReader.h"
#include "EhFrame.h"

namespace memkit::capture {

/// The part that the functions of a CIE share.
struct CommonRecord {
  ByteSpan Program; ///< the instructions for the first row
  uint64_t CodeAlign = 1;
  int64_t DataAlign = 1;
  uint8_t Pointers = PointerEncoding::Absolute; ///< encoding in the FDEs
  bool SizedAugmentation = false;
  bool SignalFrame = false;
};

struct FunctionRecord {
  CommonRecord Common;
  AddressRange Code;
  ByteSpan Program;
};

/// Finds the record of the function with \p Pc. False: none, or corrupt.
bool findFunction(const EhFrame &Tables, uintptr_t Pc, FunctionRecord &F);

/// Reads the record of a function at \p Address. False: no record, or corrupt.
bool readFunction(const EhFrame &Tables, uintptr_t Address, FunctionRecord &F);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_CFARECORD_H
