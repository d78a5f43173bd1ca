// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers and build-id of a mapped binary.

#include "MappedElf.h"

#include "Runtime/Pieces.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

const Elf64_Phdr *capture::programHeaders(uint64_t Start, size_t &Count) {
  auto *Eh = reinterpret_cast<const Elf64_Ehdr *>(Start);
  if (memcmp(Eh->e_ident, ELFMAG, SELFMAG) != 0 ||
      Eh->e_phentsize != sizeof(Elf64_Phdr) || Eh->e_phoff > PageBytes ||
      Eh->e_phoff + Eh->e_phnum * sizeof(Elf64_Phdr) > PageBytes)
    return nullptr;
  Count = Eh->e_phnum;
  return reinterpret_cast<const Elf64_Phdr *>(Start + Eh->e_phoff);
}

BuildId capture::findBuildId(uint64_t Start, uint64_t BinaryEnd,
                             uint64_t Bias) {
  size_t Count = 0;
  const Elf64_Phdr *Ph = programHeaders(Start, Count);
  for (size_t I = 0; Ph && I < Count; ++I) {
    uint64_t At = Ph[I].p_vaddr + Bias, End = At + Ph[I].p_memsz;
    if (Ph[I].p_type != PT_NOTE || At < Start || End > BinaryEnd || End < At)
      continue;
    while (At + sizeof(Elf64_Nhdr) <= End) {
      auto *N = reinterpret_cast<const Elf64_Nhdr *>(At);
      uint64_t Name = At + sizeof(*N), Desc = Name + ((N->n_namesz + 3) & ~3u);
      uint64_t NextNote = Desc + ((N->n_descsz + 3) & ~3u);
      if (NextNote > End || NextNote <= At)
        break;
      if (N->n_type == NT_GNU_BUILD_ID && N->n_namesz == 4 &&
          memcmp(reinterpret_cast<const char *>(Name), "GNU", 4) == 0 &&
          N->n_descsz <= sizeof(wire::MappedBinary::BuildId))
        return {reinterpret_cast<const void *>(Desc), N->n_descsz};
      At = NextNote;
    }
  }
  return {nullptr, 0};
}
