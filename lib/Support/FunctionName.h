// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shortens demangled names for people.

#ifndef MEMKIT_LIB_SUPPORT_FUNCTIONNAME_H
#define MEMKIT_LIB_SUPPORT_FUNCTIONNAME_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace memkit {

/// Returns a demangled C++ name without parameters, return type and qualifiers,
/// and with template arguments of more than 12 characters as `<...>`: `void
/// ns::f<ns::Long<int>>(int) const` becomes `ns::f<...>`. Other names, and Go
/// receivers, stay unchanged.
std::string shortFunctionName(llvm::StringRef Name);

/// Returns a name of Rust's legacy mangling as Rust writes the name, without
/// the hash: `_$LT$a..B$u20$as$u20$c..D$GT$::f::h0123456789abcdef` becomes
/// `<a::B as c::D>::f`. C++'s demangler leaves such names half demangled. Other
/// names stay unchanged.
std::string rustFunctionName(llvm::StringRef Name);

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_FUNCTIONNAME_H
