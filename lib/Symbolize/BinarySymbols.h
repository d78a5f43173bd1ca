// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbols of one binary, from files that belong together.

#ifndef MEMKIT_LIB_SYMBOLIZE_BINARYSYMBOLS_H
#define MEMKIT_LIB_SYMBOLIZE_BINARYSYMBOLS_H

#include "SymbolFiles.h"
#include "Trace/NameTable.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace memkit {

/// Symbols from the debug information of one file and the symbol table of
/// another file. Maps both files. A damaged file may crash LLVM's reader, so
/// resolveApart() uses this class in a process of its own. One thread at a
/// time.
class BinarySymbols {
public:
  static llvm::Expected<std::unique_ptr<BinarySymbols>>
  open(const SymbolFiles &Files);
  ~BinarySymbols();

  /// As Symbolizer::resolve().
  std::vector<SourceLocation> resolve(uint64_t Address);
  /// LLVM's first complaint about the debug information; empty: none so far.
  llvm::StringRef damage() const;

private:
  class Impl;
  explicit BinarySymbols(std::unique_ptr<Impl> I);
  std::unique_ptr<Impl> I;
};

/// Resolves Addresses, sorted ascending, with the symbols of Files. Calls
/// OnAnswer once for each address with a location, with the address's number in
/// Addresses.
///
/// A child process reads the files: a damaged file may end or stop the child,
/// never the caller. Addresses that crash the child have no answer. The child's
/// memory, processor time and answers are bounded. Returns the first problem,
/// without a full stop; empty: none.
std::string resolveApart(
    const SymbolFiles &Files, llvm::ArrayRef<uint64_t> Addresses,
    llvm::function_ref<void(size_t I, std::vector<SourceLocation> Locations)>
        OnAnswer);

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_BINARYSYMBOLS_H
