// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes references in debug information.

#ifndef MEMKIT_LIB_SYMBOLIZE_DWARFREFERENCES_H
#define MEMKIT_LIB_SYMBOLIZE_DWARFREFERENCES_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace memkit {

/// The offsets at which the sections of another file will begin.
struct DwarfBases {
  uint64_t Info = 0;    ///< .debug_info
  uint64_t Abbrevs = 0; ///< .debug_abbrev
  uint64_t Strings = 0; ///< .debug_str, at least 1
  uint64_t Lines = 0;   ///< .debug_line
};

/// Makes the references to another file (DW_FORM_GNU_ref_alt, GNU_strp_alt)
/// plain references to the same file, beyond Bases. Without HasAlt they refer
/// to no entry, and to the empty string before Bases.Strings. Nothing changes
/// its size. An error for damaged sections, and if an offset would have more
/// than 32 bits.
llvm::Error plainReferences(std::string &Info, std::string &Abbrevs,
                            const DwarfBases &Bases, bool HasAlt);

/// Changes all offsets in Info for sections that begin at Bases. Errors as for
/// plainReferences().
llvm::Error moveUnits(std::string &Info, const std::string &Abbrevs,
                      const DwarfBases &Bases);

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_DWARFREFERENCES_H
