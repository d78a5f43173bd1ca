// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of allocators that programs and libraries build into
// themselves.

#ifndef MEMKIT_LIB_DETOUR_PRIVATEFUNCTIONS_H
#define MEMKIT_LIB_DETOUR_PRIVATEFUNCTIONS_H

#include "Wire/Detours.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace memkit {

/// A function that makes, resizes or ends blocks.
struct PrivateFunction {
  llvm::StringLiteral Name; ///< without the prefix
  wire::DetourCall Call;
};

/// An allocator. Its functions have a prefix, which a program that builds
/// jemalloc chooses.
struct PrivateAllocator {
  llvm::StringLiteral Name;
  llvm::StringLiteral Prefix; ///< empty: any, before Sign
  llvm::StringLiteral Sign;   ///< a function that no other allocator has
  llvm::ArrayRef<PrivateFunction> Functions;
  bool HasFunctionsOfC = false; ///< also those of functionsOfC()
  /// Functions that a library exports have hooks (AllocatorHooks.h of the
  /// capture library).
  bool HasHooks = false;
};

/// All known allocators.
llvm::ArrayRef<PrivateAllocator> privateAllocators();

/// The functions of the C and C++ libraries, which an executable that defines
/// malloc replaces.
llvm::ArrayRef<PrivateFunction> functionsOfC();

/// The functions that run a test, under their whole names.
llvm::ArrayRef<PrivateFunction> testFunctions();

/// If Symbol is the sign of an allocator: sets Prefix to the prefix of its
/// functions. Null: of none.
const PrivateAllocator *signedBy(llvm::StringRef Symbol,
                                 llvm::StringRef &Prefix);

} // namespace memkit

#endif // MEMKIT_LIB_DETOUR_PRIVATEFUNCTIONS_H
