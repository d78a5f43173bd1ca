// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections in the file of a binary.

#include "SectionFile.h"

#include "Runtime/Syscall.h"

#include <cstring>
#include <elf.h>

using namespace memkit;
using namespace memkit::capture;

/// Only the first sections of a binary are searched.
static constexpr unsigned MaxSections = 4096;

namespace {
class SectionFile {
public:
  SectionFile(const char *Path)
      : Fd(sys::open(Path, O_RDONLY | O_NONBLOCK | O_NOCTTY)) {}
  ~SectionFile() {
    if (Fd >= 0)
      sys::close(Fd);
  }
  SectionFile(const SectionFile &) = delete;
  SectionFile &operator=(const SectionFile &) = delete;

  bool isThatAt(uint64_t Start);
  AddressRange find(const char *Name);
  bool has(uint32_t Type);

private:
  template <typename T> bool get(uint64_t Offset, T &To) {
    return Fd >= 0 &&
           sys::readAt(Fd, &To, sizeof(To), Offset) == long(sizeof(To));
  }
  uint64_t offsetOf(unsigned Section) const {
    return Header.e_shoff + uint64_t(Section) * sizeof(Elf64_Shdr);
  }
  int Fd;
  Elf64_Ehdr Header;
};
} // namespace

/// Is the file the binary mapped at \p Start? Compares the ELF header and the
/// program headers, among them the places and sizes of all segments and the
/// offset of the section headers.
bool SectionFile::isThatAt(uint64_t Start) {
  auto *Mapped = reinterpret_cast<const char *>(Start);
  if (!get(0, Header) || memcmp(&Header, Mapped, sizeof(Header)) != 0 ||
      Header.e_shentsize != sizeof(Elf64_Shdr))
    return false;
  for (unsigned I = 0; I < Header.e_phnum; ++I) {
    Elf64_Phdr P;
    uint64_t Offset = Header.e_phoff + I * sizeof(P);
    if (!get(Offset, P) || memcmp(&P, Mapped + Offset, sizeof(P)) != 0)
      return false;
  }
  return true;
}

AddressRange SectionFile::find(const char *Name) {
  Elf64_Shdr Names, S;
  char Is[16];
  const size_t NameBytes = strlen(Name) + 1;
  if (Header.e_shstrndx >= Header.e_shnum ||
      !get(offsetOf(Header.e_shstrndx), Names))
    return {};
  for (unsigned I = 0; I < Header.e_shnum && I < MaxSections; ++I)
    // A read past the end of a name stays in the file: section headers or other
    // names follow.
    if (get(offsetOf(I), S) && (S.sh_flags & SHF_ALLOC) &&
        S.sh_type != SHT_NOBITS && get(Names.sh_offset + S.sh_name, Is) &&
        memcmp(Is, Name, NameBytes) == 0)
      return {S.sh_addr, S.sh_addr + S.sh_size};
  return {};
}

bool SectionFile::has(uint32_t Type) {
  Elf64_Shdr S;
  for (unsigned I = 0; I < Header.e_shnum && I < MaxSections; ++I)
    if (get(offsetOf(I), S) && S.sh_type == Type)
      return true;
  return false;
}

bool capture::hasSection(const char *Path, uint64_t Start, uint32_t Type) {
  SectionFile F(Path);
  return F.isThatAt(Start) && F.has(Type);
}

AddressRange capture::findSection(const char *Path, uint64_t Start,
                                  const char *Name) {
  SectionFile F(Path);
  return F.isThatAt(Start) ? F.find(Name) : AddressRange();
}
