// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stack of a thread of another process.

#include "Attach/TargetStack.h"
#include "Capture/Unwind/Rule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
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
    munmap(Local, End - Start);
}

/// Maps what the program can read of the file.
void TargetStack::load(BinaryImage &Image, StringRef Path) const {
  uint64_t Start = ~0ull, End = 0, Inode = 0;
  for (const TargetMap &M : Maps)
    if (M.Path == Path) {
      Start = std::min(Start, M.Start);
      End = std::max(End, M.End);
      Inode = M.Inode;
    }
  std::string File = "/proc/" + std::to_string(Pid) + "/root" + Path.str();
  int Fd = open(File.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat S;
  // A library that was replaced on disk has another number.
  if (Fd < 0 || fstat(Fd, &S) != 0 || S.st_ino != Inode ||
      !S_ISREG(S.st_mode)) {
    if (Fd >= 0)
      close(Fd);
    return;
  }
  void *Room = mmap(nullptr, End - Start, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Room != MAP_FAILED) {
    Image.Local = static_cast<char *>(Room);
    Image.Start = Start;
    Image.End = End;
    // Behind the end of a file that was cut, there is nothing to read.
    auto IsInFile = [&S](const TargetMap &M) {
      return M.Offset + (M.End - M.Start) < uint64_t(S.st_size) + PageBytes;
    };
    for (const TargetMap &M : Maps)
      if (M.Path == Path && M.IsReadable && IsInFile(M))
        mmap(Image.Local + (M.Start - Start), M.End - M.Start, PROT_READ,
             MAP_PRIVATE | MAP_FIXED, Fd, off_t(M.Offset));
    Image.HasStart = any_of(Maps, [&](const TargetMap &M) {
      return M.Path == Path && M.Start == Start && M.IsReadable && IsInFile(M);
    });
  }
  close(Fd);
}

TargetStack::BinaryImage &TargetStack::imageOf(const TargetMap &M) {
  std::unique_ptr<BinaryImage> &Image = Images[M.Path];
  if (Image)
    return *Image;
  Image = std::make_unique<BinaryImage>();
  if (M.Path.empty() || M.Path[0] != '/')
    return *Image;
  load(*Image, M.Path);
  ELF::Elf64_Ehdr Header;
  if (!Image->Local || !Image->HasStart)
    return *Image;
  std::memcpy(&Header, Image->Local, sizeof(Header));
  if (std::memcmp(Header.e_ident, ELF::ElfMagic, 4) != 0 ||
      Header.e_phoff > PageBytes ||
      Header.e_phoff + Header.e_phnum * sizeof(ELF::Elf64_Phdr) > PageBytes)
    return *Image;
  auto Local = reinterpret_cast<uint64_t>(Image->Local);
  uint64_t Bias = Header.e_type == ELF::ET_EXEC ? Local - Image->Start : Local;
  if (!capture::findEhFrame(Image->Local + Header.e_phoff, Header.e_phnum, Bias,
                            Image->Tables))
    Image->Tables = {};
  return *Image;
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
