// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of a binary in a program that runs.

#ifndef MEMKIT_LIB_RECORD_CENSUS_TARGETFILE_H
#define MEMKIT_LIB_RECORD_CENSUS_TARGETFILE_H

#include "Record/Shared/TargetMemory.h"
#include "llvm/Object/ELFObjectFile.h"
#include <optional>

namespace memkit {

/// A binary's file as the program sees it; the program's own also if it is
/// deleted. None: there is no such file.
class TargetFile {
public:
  TargetFile(pid_t Pid, const TargetMap &Of);
  /// Null: it is no ELF file of 64 bits.
  const llvm::object::ELF64LEObjectFile *elf() const { return Elf; }

private:
  std::optional<llvm::object::OwningBinary<llvm::object::ObjectFile>> File;
  const llvm::object::ELF64LEObjectFile *Elf = nullptr;
};

/// Where the zeros behind the data of a binary end, as its headers in memory
/// say: an anonymous mapping behind them may be anybody's. 0: not known.
uint64_t endOfImage(const TargetMemory &Memory, llvm::ArrayRef<TargetMap> Maps,
                    const TargetMap &Of);

/// The path of the program, as the kernel names it in its mappings.
std::string pathOfProgram(pid_t Pid);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_TARGETFILE_H
