// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of a binary in a program that runs.

#include "Census/TargetFile.h"
#include "Census/Words.h"
#include "Shared/ProcFs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace memkit;

std::string memkit::pathOfProgram(pid_t Pid) { return procfs::exePath(Pid); }

TargetFile::TargetFile(pid_t Pid, const TargetMap &Of) {
  std::string Proc = "/proc/" + std::to_string(Pid);
  std::string Path =
      Of.Path == pathOfProgram(Pid) ? Proc + "/exe" : Proc + "/root" + Of.Path;
  // Another may stand in its place by now, as a pipe.
  if (!sys::fs::is_regular_file(Path))
    return;
  Expected<object::OwningBinary<object::ObjectFile>> Opened =
      object::ObjectFile::createObjectFile(Path);
  if (!Opened) {
    consumeError(Opened.takeError());
    return;
  }
  File = std::move(*Opened);
  Elf = dyn_cast<object::ELF64LEObjectFile>(File->getBinary());
}

uint64_t memkit::endOfImage(const TargetMemory &Memory,
                            ArrayRef<TargetMap> Maps, const TargetMap &Of) {
  const TargetMap *First = find_if(Maps, [&](const TargetMap &M) {
    return M.Inode == Of.Inode && M.Path == Of.Path;
  });
  ELF::Elf64_Ehdr Head;
  constexpr unsigned MaxHeaders = 64;
  if (First->Offset || !Memory.read(First->Start, Head) ||
      Head.e_phentsize != sizeof(ELF::Elf64_Phdr) || Head.e_phnum > MaxHeaders)
    return 0;
  uint64_t Lowest = UINT64_MAX, End = 0;
  for (unsigned I = 0; I != Head.e_phnum; ++I) {
    ELF::Elf64_Phdr H;
    if (!Memory.read(First->Start + Head.e_phoff + I * sizeof(H), H) ||
        H.p_type != ELF::PT_LOAD)
      continue;
    Lowest = std::min(Lowest, alignDown(H.p_vaddr, TargetPage));
    End = std::max(End, H.p_vaddr + H.p_memsz);
  }
  return Lowest < End ? First->Start + (End - Lowest) : 0;
}
