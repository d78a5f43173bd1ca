// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of CPython's code objects.
//
// The formats are in CPython's Objects/lnotab_notes.txt (up to 3.9, and 3.10)
// and Objects/locations.md (3.11 and newer).

#ifndef MEMKIT_LIB_IMPORT_CODELINES_H
#define MEMKIT_LIB_IMPORT_CODELINES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace memkit {

/// The line of the instruction at Offset of a code object, or 0 if the table
/// has none. Version: PY_VERSION_HEX of the interpreter. Table: co_lnotab up to
/// 3.9, else co_linetable. Offset: f_lasti; in bytes, in 3.10 in instructions
/// of two bytes. The table may hold anything.
uint32_t codeLine(uint32_t Version, llvm::StringRef Table, int32_t FirstLine,
                  int64_t Offset);

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_CODELINES_H
