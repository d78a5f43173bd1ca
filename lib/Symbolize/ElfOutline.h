// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The headers of an ELF file.

#ifndef MEMKIT_LIB_SYMBOLIZE_ELFOUTLINE_H
#define MEMKIT_LIB_SYMBOLIZE_ELFOUTLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

struct ElfSection {
  std::string Name;
  uint32_t Type = 0; ///< SHT_...
  uint64_t Flags = 0;
  uint64_t Address = 0;
  uint64_t Offset = 0;
  uint64_t Size = 0; ///< in memory and, without SHT_NOBITS, in the file

  /// Whether the file has the bytes: a debug file lacks those of code.
  bool hasBytes() const;
  bool isAllocated() const;
};

struct ElfSegment {
  uint32_t Type = 0; ///< PT_...
  uint32_t Flags = 0;
  uint64_t Offset = 0;
  uint64_t Address = 0;
  uint64_t FileSize = 0;
  uint64_t MemorySize = 0;
};

/// The headers of an ELF file of 64 bits. Every section with bytes lies in the
/// file; segments may lie outside, as in debug files.
struct ElfOutline {
  uint16_t Type = 0;    ///< ET_...
  uint16_t Machine = 0; ///< EM_...
  std::vector<uint8_t> BuildId;
  std::vector<ElfSection> Sections;
  std::vector<ElfSegment> Segments;
  /// .gnu_debuglink: the name of the debug file, and the CRC of its bytes.
  std::string DebugLink;
  uint32_t DebugLinkCrc = 0;
  /// .gnu_debugaltlink: the file that holds what several debug files share.
  std::string AltLink;
  std::vector<uint8_t> AltBuildId;

  /// The first section Name; null: none.
  const ElfSection *section(llvm::StringRef Name) const;
  /// Whether the file has DWARF.
  bool hasDebugInfo() const;
  /// Whether the file has the symbol table that strip removes.
  bool hasSymbols() const;
  /// Whether the file has the symbols of the dynamic linker.
  bool hasDynamicSymbols() const;
};

/// Reads the headers of the file Path, a regular file. Takes a bounded amount
/// of memory, and maps nothing: a file that grows shorter meanwhile is an
/// error. Errors are without the path: `is a directory`, `is not an ELF file`.
llvm::Expected<ElfOutline> readElfOutline(llvm::StringRef Path);

/// A regular file that is open for reading; closed by the destructor.
class OpenedFile {
public:
  /// Opens Path. Never waits, and opens no device: another kind of file is an
  /// error. Errors are without the path.
  static llvm::Expected<OpenedFile> open(llvm::StringRef Path);
  OpenedFile(OpenedFile &&Other) noexcept;
  OpenedFile &operator=(OpenedFile &&) = delete;
  ~OpenedFile();

  uint64_t bytes() const { return Bytes; }
  /// Reads Size bytes from Offset. Errors: the file is shorter, or unreadable.
  llvm::Error read(uint64_t Offset, uint64_t Size, void *Out) const;

private:
  OpenedFile(int Fd, uint64_t Bytes) : Fd(Fd), Bytes(Bytes) {}
  int Fd;
  uint64_t Bytes;
};

/// `1f2e..`, in lower case.
std::string hexOf(llvm::ArrayRef<uint8_t> Bytes);

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_ELFOUTLINE_H
