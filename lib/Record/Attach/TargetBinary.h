// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A binary that a program has loaded.

#ifndef MEMKIT_LIB_RECORD_ATTACH_TARGETBINARY_H
#define MEMKIT_LIB_RECORD_ATTACH_TARGETBINARY_H

#include "Shared/TargetMemory.h"
#include "llvm/ADT/StringRef.h"

namespace memkit {

/// A function that a binary exports.
struct TargetFunction {
  std::string Name;
  uint64_t Start = 0, End = 0; ///< in the program's memory
};

/// A binary, read from the program's memory: its file may be replaced by now. A
/// copy.
class TargetBinary {
public:
  /// The binary whose mappings have the path of Maps[First].
  TargetBinary(const TargetMemory &Memory, llvm::ArrayRef<TargetMap> Maps,
               size_t First);

  /// Whether the binary exports a symbol. Reads little.
  bool exports(const TargetMemory &Memory, llvm::StringRef Name) const;
  /// Reads functions and code. Without functions: the memory is not readable,
  /// or is no binary.
  void readAll(const TargetMemory &Memory);

  const std::string &path() const { return Path; }
  /// Of the mappings with the binary's path.
  uint64_t start() const { return Start; }
  uint64_t end() const { return End; }
  bool has(uint64_t Address) const { return Address >= Start && Address < End; }
  /// The exported functions by address.
  llvm::ArrayRef<TargetFunction> functions() const { return Functions; }
  /// Null: no such function.
  const TargetFunction *find(llvm::StringRef Name) const;
  /// The exported function with the address; null: none, or an internal one.
  const TargetFunction *functionAt(uint64_t Address) const;
  /// Whether the bytes before the address are a call.
  bool isAfterCall(uint64_t Address) const;
  /// The first place of the bytes in the executable memory; 0: none.
  uint64_t findCode(llvm::StringRef Bytes) const;

private:
  void readDynamic(const TargetMemory &Memory, uint64_t At);
  void readFunctions(const TargetMemory &Memory);
  llvm::ArrayRef<uint8_t> codeBefore(uint64_t Address, size_t Bytes) const;

  std::string Path;
  uint64_t Start = 0, End = 0, Bias = 0;
  uint64_t Symtab = 0, Strtab = 0, StringBytes = 0, GnuHash = 0;
  std::vector<TargetFunction> Functions;
  struct CodePart {
    uint64_t Start, End;
    std::vector<uint8_t> Bytes; ///< empty before readAll()
  };
  std::vector<CodePart> Code;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_ATTACH_TARGETBINARY_H
