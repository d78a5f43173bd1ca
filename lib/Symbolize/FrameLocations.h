// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM finds at an address, as source locations.

#ifndef MEMKIT_LIB_SYMBOLIZE_FRAMELOCATIONS_H
#define MEMKIT_LIB_SYMBOLIZE_FRAMELOCATIONS_H

#include "Trace/NameTable.h"

namespace llvm {
class DIInliningInfo;
class DWARFContext;
} // namespace llvm

namespace memkit {

/// The locations of Info, which LLVM found at Address, the innermost first; at
/// most 255. Functions are demangled. Dwarf completes the names that have
/// neither scope nor parameters; null: the names stay.
std::vector<SourceLocation> locationsOf(llvm::DIInliningInfo Info,
                                        uint64_t Address,
                                        llvm::DWARFContext *Dwarf);

/// A demangled name as people write it: Rust's without the hash, glibc's own
/// alias `__GI_malloc` as `malloc`.
std::string plainName(llvm::StringRef Demangled);

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_FRAMELOCATIONS_H
