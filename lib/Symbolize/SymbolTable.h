// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbol table of an ELF file, by address.

#ifndef MEMKIT_LIB_SYMBOLIZE_SYMBOLTABLE_H
#define MEMKIT_LIB_SYMBOLIZE_SYMBOLTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace memkit {

/// An index of the symbols of code and data in an ELF file: .symtab, or .dynsym
/// in a file without .symtab. Takes 16 bytes for each symbol, and reads the
/// names only of the symbols that are asked for: LLVM's SymbolizableObjectFile
/// takes 40 to 80 bytes, and reads all names, which are 77 MB in PyTorch's
/// largest library. Finds the symbols that SymbolizableObjectFile finds.
class SymbolTable {
public:
  /// Null: File is of another kind. File must stay.
  static llvm::Expected<std::unique_ptr<SymbolTable>>
  create(const llvm::object::ObjectFile &File);

  /// The mangled name of the symbol that covers Address (as in the file's
  /// headers); empty if there is none. A symbol without a size reaches to the
  /// next one.
  llvm::StringRef at(uint64_t Address) const;

private:
  using ElfFile = llvm::object::ELFFile<llvm::object::ELF64LE>;
  using ElfSymbol = ElfFile::Elf_Sym;
  struct IndexedSymbol {
    uint64_t Address;
    uint32_t Number;    ///< in Symbols
    uint32_t ShortSize; ///< UINT32_MAX: this, or more
  };
  llvm::Error read(const ElfFile &File);
  void readIndex(const ElfFile &File, llvm::ArrayRef<char> IsInMemory);
  void sortIndex();

  llvm::ArrayRef<ElfSymbol> Symbols;
  llvm::StringRef Names;
  std::vector<IndexedSymbol> Index; ///< by address, each once
};

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_SYMBOLTABLE_H
