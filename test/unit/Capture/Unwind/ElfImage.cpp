// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays out an ELF file as if loaded.

#include "ElfImage.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace memkit::test;

static constexpr uintptr_t Page = 4096;

std::unique_ptr<ElfImage> ElfImage::map(const std::string &Path) {
  int Fd = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return nullptr;
  std::unique_ptr<ElfImage> Image(new ElfImage);
  Elf64_Ehdr H;
  bool Good = pread(Fd, &H, sizeof(H), 0) == ssize_t(sizeof(H)) &&
              !memcmp(H.e_ident, ELFMAG, SELFMAG) &&
              H.e_ident[EI_CLASS] == ELFCLASS64;
  if (Good) {
    size_t Bytes = H.e_phnum * sizeof(Elf64_Phdr);
    Image->Storage.reset(new char[Bytes]);
    Image->Count = H.e_phnum;
    Good = pread(Fd, Image->Storage.get(), Bytes, off_t(H.e_phoff)) ==
               ssize_t(Bytes) &&
           Image->mapSegments(Fd, H.e_type == ET_EXEC);
  }
  close(Fd);
  return Good ? std::move(Image) : nullptr;
}

/// Reserves the addresses from \p Min to \p Max: with \p Fixed exactly these,
/// else equally many anywhere.
uintptr_t ElfImage::reserve(uintptr_t Min, uintptr_t Max, bool Fixed) {
  int Flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *Where = Fixed ? reinterpret_cast<void *>(Min) : nullptr;
  Size = Max - Min;
  void *Got = mmap(Where, Size, PROT_NONE,
                   Flags | (Fixed ? MAP_FIXED_NOREPLACE : 0), -1, 0);
  if (Got != MAP_FAILED)
    Start = Got;
  return uintptr_t(Got) - Min;
}

bool ElfImage::mapSegments(int Fd, bool Fixed) {
  auto *Headers = reinterpret_cast<const Elf64_Phdr *>(Storage.get());
  uintptr_t Min = UINTPTR_MAX, Max = 0;
  for (size_t I = 0; I < Count; ++I)
    if (Headers[I].p_type == PT_LOAD) {
      Min = std::min(Min, Headers[I].p_vaddr);
      Max = std::max(Max, Headers[I].p_vaddr + Headers[I].p_memsz);
    }
  Bias = reserve(Min / Page * Page, Max + 2 * Page, Fixed);
  if (!Start)
    return false;
  for (size_t I = 0; I < Count; ++I) {
    const Elf64_Phdr &P = Headers[I];
    uintptr_t Within = P.p_vaddr % Page;
    if (P.p_type == PT_LOAD && P.p_filesz &&
        mmap(reinterpret_cast<void *>(Bias + P.p_vaddr - Within),
             P.p_filesz + Within, PROT_READ, MAP_PRIVATE | MAP_FIXED, Fd,
             off_t(P.p_offset - Within)) == MAP_FAILED)
      return false;
  }
  return true;
}

ElfImage::~ElfImage() {
  if (Start)
    munmap(Start, Size);
}

std::string memkit::test::pathOfLibrary(const char *Name) {
  void *Library = dlopen(Name, RTLD_LAZY | RTLD_LOCAL);
  link_map *Map = nullptr;
  std::string Path;
  if (Library && dlinfo(Library, RTLD_DI_LINKMAP, &Map) == 0)
    Path = Map->l_name;
  if (Library)
    dlclose(Library);
  return Path;
}
