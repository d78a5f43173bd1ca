// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Demangled names, for people.

#ifndef MEMKIT_LIB_SUPPORT_FUNCTIONNAME_H
#define MEMKIT_LIB_SUPPORT_FUNCTIONNAME_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace memkit {

/// A demangled name without its parameters, return type and qualifiers, and
/// with template arguments of more than a few characters as `<...>`: `void
/// ns::f<ns::Long<int>>(int) const` is `ns::f<...>`. What does not look like a
/// C++ function comes back as it is, so do the receivers of Go.
std::string shortFunctionName(llvm::StringRef Name);

/// A name of Rust's legacy mangling, which C++'s demangler leaves half done, as
/// Rust writes it, without its hash:
/// `_$LT$a..B$u20$as$u20$c..D$GT$::f::h0123456789abcdef` is `<a::B as
/// c::D>::f`. Another name comes back as it is.
std::string rustFunctionName(llvm::StringRef Name);

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_FUNCTIONNAME_H
