//===- LibUnwindPipe.cpp - libunwind without its pipe ---------------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What libunwind calls goes through its own table of addresses (for its
// procedure linkage table), where pipe2 and what it reads and writes with (the
// functions, or syscall: versions differ) are replaced. pipe2 then gives -1 for
// both ends, by which the others know the pipe; any other descriptor they pass
// on.
//
//===----------------------------------------------------------------------===//

#include "LibUnwindPipe.h"
#include "Runtime/Syscall.h"

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <sys/types.h>

using namespace memkit;
using namespace memkit::capture;

//===----------------------------------------------------------------------===//
// The replacements
//===----------------------------------------------------------------------===//

static long withErrno(long Result) {
  if (!sys::failed(Result))
    return Result;
  errno = int(-Result);
  return -1;
}

static int noPipe(int *Ends, int) {
  Ends[0] = Ends[1] = -1;
  return 0;
}

/// The pipe is empty.
static ssize_t readOrNone(int Fd, void *To, size_t Bytes) {
  return withErrno(Fd == -1 ? -EAGAIN : sys::read(Fd, To, Bytes));
}

/// The kernel copies a signal mask before it finds that the operation is none:
/// it says EFAULT or EINVAL, and changes nothing.
static ssize_t writeOrProbe(int Fd, const void *From, size_t Bytes) {
  if (Fd != -1)
    return withErrno(sys::call(SYS_write, Fd, long(From), long(Bytes)));
  long Mask = long(uintptr_t(From) & ~uintptr_t(7)); // in the same page
  long Result = sys::call(SYS_rt_sigprocmask, ~0l, Mask, 0, 8);
  return withErrno(Result == -EFAULT ? Result : long(Bytes));
}

/// The caller passes its variable arguments as any function's.
static long readWriteOrCall(long Number, long A, long B, long C, long D, long E,
                            long F) {
  if (Number == SYS_read)
    return readOrNone(int(A), reinterpret_cast<void *>(B), size_t(C));
  if (Number == SYS_write)
    return writeOrProbe(int(A), reinterpret_cast<const void *>(B), size_t(C));
  return withErrno(sys::call(Number, A, B, C, D, E, F));
}

//===----------------------------------------------------------------------===//
// Putting them in
//===----------------------------------------------------------------------===//

namespace {
/// What the loader's jump slots of an object are for.
struct Slots {
  const Elf64_Rela *Rela = nullptr;
  size_t Count = 0;
  const Elf64_Sym *Symbols = nullptr;
  const char *Strings = nullptr;
  uintptr_t Bias;

  explicit Slots(const link_map *Map) : Bias(Map->l_addr) {
    for (const Elf64_Dyn *D = Map->l_ld; D->d_tag != DT_NULL; ++D) {
      auto *At = reinterpret_cast<const void *>(D->d_un.d_ptr);
      if (D->d_tag == DT_JMPREL)
        Rela = static_cast<const Elf64_Rela *>(At);
      if (D->d_tag == DT_PLTRELSZ)
        Count = D->d_un.d_val / sizeof(Elf64_Rela);
      if (D->d_tag == DT_SYMTAB)
        Symbols = static_cast<const Elf64_Sym *>(At);
      if (D->d_tag == DT_STRTAB)
        Strings = static_cast<const char *>(At);
    }
    if (!Rela || !Symbols || !Strings)
      Count = 0;
  }
  void **find(const char *Name) const {
    for (size_t I = 0; I < Count; ++I) {
      const Elf64_Sym &S = Symbols[ELF64_R_SYM(Rela[I].r_info)];
      if (ELF64_R_TYPE(Rela[I].r_info) == R_X86_64_JUMP_SLOT &&
          strcmp(Strings + S.st_name, Name) == 0)
        return reinterpret_cast<void **>(Bias + Rela[I].r_offset);
    }
    return nullptr;
  }
};

struct Range {
  uintptr_t Start = 0, End = 0;
};
} // namespace

/// The pages that the loader has made read-only after relocation.
static Range readOnlyPages(const void *Start, uintptr_t Bias) {
  auto *H = static_cast<const Elf64_Ehdr *>(Start);
  auto *P = reinterpret_cast<const Elf64_Phdr *>(
      static_cast<const char *>(Start) + H->e_phoff);
  constexpr uintptr_t Page = 4096;
  for (unsigned I = 0; I < H->e_phnum; ++I)
    if (P[I].p_type == PT_GNU_RELRO)
      return {(Bias + P[I].p_vaddr) & ~(Page - 1),
              (Bias + P[I].p_vaddr + P[I].p_memsz) & ~(Page - 1)};
  return {};
}

bool capture::avoidPipe(void *Handle, const void *Start) {
  auto *Map = static_cast<const link_map *>(Handle);
  if (!Start || memcmp(Start, ELFMAG, SELFMAG) != 0)
    return false;
  Slots S(Map);
  if (!S.find("pipe2"))
    return false;
  Range R = readOnlyPages(Start, Map->l_addr);
  auto Protect = [&](int How) {
    return R.Start >= R.End ||
           !sys::failed(sys::call(SYS_mprotect, long(R.Start),
                                  long(R.End - R.Start), How));
  };
  if (!Protect(PROT_READ | PROT_WRITE))
    return false;
  auto Put = [&](const char *Name, auto *Fn) {
    if (void **Slot = S.find(Name))
      *Slot = reinterpret_cast<void *>(Fn);
  };
  Put("read", readOrNone);
  Put("write", writeOrProbe);
  Put("syscall", readWriteOrCall);
  Put("pipe2", noPipe);
  Protect(PROT_READ);
  return true;
}
