// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which registers the callers of a function expect to change.

#ifndef MEMKIT_LIB_DETOUR_REGISTERUSE_H
#define MEMKIT_LIB_DETOUR_REGISTERUSE_H

#include "CodeImage.h"
#include "CodeReader.h"
#include "llvm/ADT/DenseSet.h"

namespace memkit {

/// A compiler that sees a function's code lets callers keep values in registers
/// that the function leaves alone, although any function may change them
/// (GCC's -fipa-ra). A detour changes all that a function may change. So a
/// function may have a detour only if the compiler did not know: if the
/// function, or one that it calls, makes a call whose target the compiler did
/// not see.
class RegisterUse {
public:
  RegisterUse(const CodeReader &Reader, const CodeImage &Image)
      : Reader(Reader), Image(Image) {}

  /// Whether callers expect all of those registers to change.
  bool mayChangeAll(const CodeSymbol &F);

private:
  bool look(const CodeSymbol &F, llvm::SmallVectorImpl<CodeSymbol> &Called);

  const CodeReader &Reader;
  const CodeImage &Image;
  llvm::DenseSet<uint64_t> Known; ///< functions that may
};

} // namespace memkit

#endif // MEMKIT_LIB_DETOUR_REGISTERUSE_H
