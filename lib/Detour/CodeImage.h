// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of an ELF file for x86-64, and where its functions begin.

#ifndef MEMKIT_LIB_DETOUR_CODEIMAGE_H
#define MEMKIT_LIB_DETOUR_CODEIMAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// A function, as a symbol of the file has it. Addresses are those of the
/// file's headers.
struct CodeSymbol {
  uint64_t Address = 0;
  uint64_t Bytes = 0; ///< 0: unknown
  llvm::StringRef Name;
  bool IsChosen = false; ///< code that chooses the function when it is loaded

  uint64_t end() const { return Address + Bytes; }
};

/// The bytes that the file has at Address.
struct CodeBytes {
  uint64_t Address = 0;
  llvm::ArrayRef<uint8_t> Bytes;

  uint64_t end() const { return Address + Bytes.size(); }
  bool has(uint64_t At) const { return At >= Address && At < end(); }
};

/// Reads a file for x86-64, which must stay meanwhile and may be damaged.
class CodeImage {
public:
  using CodeFile = llvm::object::ELFFile<llvm::object::ELF64LE>;

  /// Errors: damage.
  static llvm::Expected<CodeImage> create(const CodeFile &File);

  /// All functions of .symtab and .dynsym, by address, each name once.
  llvm::ArrayRef<CodeSymbol> functions() const { return Functions; }
  /// The sections with code, by address.
  llvm::ArrayRef<CodeBytes> sections() const { return Sections; }
  /// The section's bytes from Address on; empty: no code lies there.
  llvm::ArrayRef<uint8_t> from(uint64_t Address) const;
  /// The last function that begins at Address or before it; null: none.
  const CodeSymbol *before(uint64_t Address) const;
  /// Where the next function after Address begins, or the section's end.
  uint64_t nextBegin(uint64_t Address) const;

private:
  llvm::Error readSections(const CodeFile &File);
  llvm::Error readSymbols(const CodeFile &File);
  const CodeBytes *section(uint64_t Address) const;

  std::vector<CodeSymbol> Functions;
  std::vector<CodeBytes> Sections;
};

} // namespace memkit

#endif // MEMKIT_LIB_DETOUR_CODEIMAGE_H
