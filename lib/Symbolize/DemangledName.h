// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names as programmers write them.

#ifndef MEMKIT_LIB_SYMBOLIZE_DEMANGLEDNAME_H
#define MEMKIT_LIB_SYMBOLIZE_DEMANGLEDNAME_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm::symbolize {
class SymbolizableModule;
}

namespace memkit {

/// The demangled name of a function, or Name if it is not mangled. Of: the
/// binary; null: not known.
std::string
demangledName(const std::string &Name,
              const llvm::symbolize::SymbolizableModule *Of = nullptr);

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_DEMANGLEDNAME_H
