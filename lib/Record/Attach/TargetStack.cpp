// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stack of a thread of another process.

#include "Attach/TargetStack.h"
#include "Capture/Unwind/Rule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static constexpr size_t MaxFrames = 4096;
static constexpr uint64_t PageBytes = 4096;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TargetStack::BinaryImage::~BinaryImage() {
  if (Local)
    munmap(Local, Bytes);
}

/// The program headers of a file; empty: it is no binary.
static std::vector<ELF::Elf64_Phdr> headersOf(int Fd) {
  ELF::Elf64_Ehdr H;
  if (pread(Fd, &H, sizeof(H), 0) != ssize_t(sizeof(H)) ||
      std::memcmp(H.e_ident, ELF::ElfMagic, 4) != 0 || H.e_phoff > PageBytes ||
      H.e_phoff + H.e_phnum * sizeof(ELF::Elf64_Phdr) > PageBytes)
    return {};
  std::vector<ELF::Elf64_Phdr> Headers(H.e_phnum);
  size_t Bytes = Headers.size() * sizeof(ELF::Elf64_Phdr);
  if (pread(Fd, Headers.data(), Bytes, off_t(H.e_phoff)) != ssize_t(Bytes))
    return {};
  return Headers;
}

/// Sets where a binary lies in memory, before it is moved to Start. Start is
/// End: nowhere, or its unwind tables are elsewhere.
static void findSpan(ArrayRef<ELF::Elf64_Phdr> Headers, uint64_t &Start,
                     uint64_t &End) {
  constexpr uint64_t MaxSpan = uint64_t(1) << 36;
  Start = UINT64_MAX;
  End = 0;
  for (const ELF::Elf64_Phdr &P : Headers)
    if (P.p_type == ELF::PT_LOAD) {
      Start = std::min(Start, alignDown(P.p_vaddr, PageBytes));
      End = std::max(End, alignTo(P.p_vaddr + P.p_memsz, PageBytes));
    }
  bool IsSound = Start < End && End - Start <= MaxSpan &&
                 all_of(
                     Headers,
                     [&](const ELF::Elf64_Phdr &P) {
                       return P.p_type != ELF::PT_GNU_EH_FRAME ||
                              (P.p_vaddr >= Start && P.p_vaddr <= End &&
                               P.p_memsz <= End - P.p_vaddr);
                     });
  if (!IsSound)
    Start = End = 0;
}

/// Maps what the program can read of the file around Of. The same file may be
/// mapped several times, as by dlmopen, and in part, while it comes or goes:
/// what is missing reads as zeros.
void TargetStack::load(BinaryImage &Image, const TargetMap &Of) const {
  std::string File = "/proc/" + std::to_string(Pid) + "/root" + Of.Path;
  int Fd = open(File.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat S;
  // A library that was replaced on disk has another number.
  if (Fd >= 0 && fstat(Fd, &S) == 0 && S.st_ino == Of.Inode &&
      S_ISREG(S.st_mode))
    Image.Headers = headersOf(Fd);
  uint64_t End;
  findSpan(Image.Headers, Image.Unmoved, End);
  uint64_t Span = End - Image.Unmoved;
  void *Room = Span ? mmap(nullptr, Span, PROT_READ,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                    : MAP_FAILED;
  if (Room != MAP_FAILED) {
    Image.Local = static_cast<char *>(Room);
    Image.Bytes = Span;
    for (const TargetMap &M : Maps)
      if (M.Path == Of.Path && !M.Offset && M.Start <= Of.Start &&
          M.Start >= Image.End) {
        Image.Start = M.Start;
        Image.End = M.Start + Span;
      }
    // Behind the end of a file that was cut, there is nothing to read.
    for (const TargetMap &M : Maps)
      if (M.Path == Of.Path && M.IsReadable && M.Start >= Image.Start &&
          M.End <= Image.End &&
          M.Offset + (M.End - M.Start) < uint64_t(S.st_size) + PageBytes &&
          mmap(Image.Local + (M.Start - Image.Start), M.End - M.Start,
               PROT_READ, MAP_PRIVATE | MAP_FIXED, Fd,
               off_t(M.Offset)) != MAP_FAILED)
        Image.HasStart |= M.Start == Image.Start;
  }
  if (Fd >= 0)
    close(Fd);
}

TargetStack::BinaryImage &TargetStack::imageOf(const TargetMap &M) {
  for (std::unique_ptr<BinaryImage> &Known : Images)
    if (M.Start >= Known->Start && M.Start < Known->End)
      return *Known;
  Images.push_back(std::make_unique<BinaryImage>());
  BinaryImage &Image = *Images.back();
  if (!M.Path.empty() && M.Path[0] == '/')
    load(Image, M);
  if (M.Start < Image.Start || M.End > Image.End) {
    // Of no file, or of a part alone.
    Image.Start = M.Start;
    Image.End = M.End;
    Image.HasStart = false;
  }
  if (!Image.Local || !Image.HasStart)
    return Image;
  auto Local = reinterpret_cast<uint64_t>(Image.Local);
  if (!capture::findEhFrame(Image.Headers.data(), Image.Headers.size(),
                            Local - Image.Unmoved, Image.Tables))
    Image.Tables = {};
  return Image;
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

/// By the numbers of DWARF.
static capture::Registers registersOf(const user_regs_struct &R) {
  capture::Registers To;
  const uint64_t Values[] = {R.rax, R.rdx, R.rcx, R.rbx, R.rsi, R.rdi,
                             R.rbp, R.rsp, R.r8,  R.r9,  R.r10, R.r11,
                             R.r12, R.r13, R.r14, R.r15, R.rip};
  for (unsigned I = 0; I != capture::Registers::Count; ++I)
    To.set(I, Values[I]);
  To.ExactPc = true;
  return To;
}

TargetFrames TargetStack::walk(const TargetMemory &Memory,
                               const user_regs_struct &Registers) {
  auto Read = [](const void *Of, uintptr_t At, void *To, size_t Bytes) {
    return static_cast<const TargetMemory *>(Of)->read(At, To, Bytes);
  };
  capture::Registers R = registersOf(Registers);
  TargetFrames Frames;
  while (Frames.Code.size() != MaxFrames) {
    uint64_t Pc = R.lookupPc();
    Frames.Code.push_back(Pc);
    Frames.StackAt = R.Values[capture::Registers::Sp];
    const TargetMap *M = mapAt(Maps, Pc);
    if (!M || !M->IsExecutable)
      return Frames;
    BinaryImage &Image = imageOf(*M);
    if (!Image.Local || !Image.Tables.usable())
      return Frames;
    if (capture::compileRule(Image.Tables, Image.toLocal(Pc)).isSignalFrame()) {
      Frames.HasSignal = true;
      return Frames;
    }
    // The tables are at their place in this process.
    uint64_t &Register = R.Values[capture::Registers::Pc];
    Register = Image.toLocal(Register);
    capture::StepResult Is =
        capture::stepSlow(Image.Tables, R, {Read, &Memory});
    Frames.IsComplete = Is == capture::StepResult::End;
    if (Is != capture::StepResult::Stepped)
      return Frames;
  }
  return Frames;
}
