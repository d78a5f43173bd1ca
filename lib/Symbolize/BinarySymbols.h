// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbols of one binary, from files that belong together.

#ifndef MEMKIT_LIB_SYMBOLIZE_BINARYSYMBOLS_H
#define MEMKIT_LIB_SYMBOLIZE_BINARYSYMBOLS_H

#include "SymbolFiles.h"
#include "Trace/NameTable.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace memkit {

/// Symbols from the debug information of one file and the symbol table of
/// another file. Maps both files. A damaged file may crash LLVM's reader, so
/// NameProcess uses this class in a process of its own. One thread at a time.
class BinarySymbols {
public:
  /// MaxSectionBytes: of the compressed sections of all files when they are
  /// decompressed. More is an error.
  static llvm::Expected<std::unique_ptr<BinarySymbols>>
  open(const SymbolFiles &Files, uint64_t MaxSectionBytes);
  ~BinarySymbols();

  /// The functions at Address (as in the binary's headers), the innermost
  /// inlined one first; empty if none is known. At most 255.
  std::vector<SourceLocation> resolve(uint64_t Address);
  /// Gives the pages of the mapped files back; they are read again when they
  /// are needed.
  void releasePages();
  /// LLVM's first complaint about the debug information; empty: none so far.
  llvm::StringRef damage() const;

private:
  class Impl;
  explicit BinarySymbols(std::unique_ptr<Impl> I);
  std::unique_ptr<Impl> I;
};

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_BINARYSYMBOLS_H
