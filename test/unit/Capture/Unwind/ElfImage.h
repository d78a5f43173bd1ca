// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays out an ELF file as if loaded.

#ifndef MEMKIT_TEST_UNIT_UNWIND_ELFIMAGE_H
#define MEMKIT_TEST_UNIT_UNWIND_ELFIMAGE_H

#include "Unwind/EhFrame.h"

#include <memory>
#include <string>

namespace memkit::test {

/// Maps a file's segments at the distances that the loader would use, without
/// relocation and not executable. A program with fixed addresses is mapped at
/// these addresses if they are free.
class ElfImage {
public:
  /// Null if \p Path cannot be mapped as a 64-bit ELF file.
  static std::unique_ptr<ElfImage> map(const std::string &Path);
  ~ElfImage();
  ElfImage(const ElfImage &) = delete;
  ElfImage &operator=(const ElfImage &) = delete;

  uintptr_t bias() const { return Bias; }
  const void *headers() const { return Storage.get(); } ///< Elf64_Phdr
  size_t headerCount() const { return Count; }

private:
  ElfImage() = default;
  bool mapSegments(int Fd, bool Fixed);
  uintptr_t reserve(uintptr_t Min, uintptr_t Max, bool Fixed);

  std::unique_ptr<char[]> Storage;
  size_t Count = 0;
  void *Start = nullptr;
  size_t Size = 0;
  uintptr_t Bias = 0;
};

/// The file that the loader finds for the library \p Name; empty if none.
std::string pathOfLibrary(const char *Name);

} // namespace memkit::test

#endif // MEMKIT_TEST_UNIT_UNWIND_ELFIMAGE_H
