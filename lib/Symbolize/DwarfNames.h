// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole names of functions, from DWARF.
//
// GCC gives a function that is local to its file (static, or in an anonymous
// namespace) no linkage name. Such a function has a symbol only where it was
// not inlined, and DWARF's DW_AT_name is without scope and parameters.

#ifndef MEMKIT_LIB_SYMBOLIZE_DWARFNAMES_H
#define MEMKIT_LIB_SYMBOLIZE_DWARFNAMES_H

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class DWARFContext;
class DWARFDie;
} // namespace llvm

namespace memkit {

/// The full name of the C++ function of a subprogram or of an inlined copy, as
/// LLVM's demangler writes it: `(anonymous namespace)::A::f(int) const`. Empty
/// for a function without C++ linkage, whose short name is already complete.
/// Time and length are bounded for any debug information.
std::string wholeName(const llvm::DWARFDie &Function);

/// wholeName() of each function at Address, the innermost inlined one first;
/// empty if the code is not C++.
std::vector<std::string> wholeNamesAt(llvm::DWARFContext &Context,
                                      uint64_t Address);

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_DWARFNAMES_H
