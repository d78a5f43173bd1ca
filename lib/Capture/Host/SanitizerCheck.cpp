// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds sanitizers in a program's file.

#include "SanitizerCheck.h"
#include "Runtime/Syscall.h"

#include <cstring>
#include <elf.h>
#include <initializer_list>
#include <sys/stat.h>

using namespace memkit;
using namespace memkit::capture;

static constexpr size_t MaxHeaders = 32;
static constexpr size_t MaxDynamic = 512;
/// Bounds the time to a millisecond or two.
static constexpr uint64_t MaxStrings = 16 << 20;

static bool readAt(int Fd, uint64_t Offset, void *To, size_t Bytes) {
  return sys::call(SYS_pread64, Fd, long(To), long(Bytes), long(Offset)) ==
         long(Bytes);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Does the name end in a set-up function of a runtime? A linker stores a name
/// that is the end of a longer name inside the longer name, so the text before
/// the end does not matter.
static bool isRuntimeSymbol(const char *Name, size_t N) {
  auto EndsIn = [&](const char *End) {
    size_t M = strlen(End);
    return N >= M && memcmp(Name + N - M, End, M) == 0;
  };
  return EndsIn("san_init") &&
         (EndsIn("__asan_init") || EndsIn("__tsan_init") ||
          EndsIn("__msan_init") || EndsIn("__hwasan_init") ||
          EndsIn("__lsan_init"));
}

/// The runtime as a shared library, of gcc or clang.
static bool isRuntimeLibrary(const char *Name, size_t N) {
  for (const char *Start :
       {"libasan.so", "libtsan.so", "liblsan.so", "libhwasan.so",
        "libclang_rt.asan", "libclang_rt.tsan", "libclang_rt.hwasan"})
    if (size_t M = strlen(Start); N >= M && memcmp(Name, Start, M) == 0)
      return true;
  return false;
}

/// Does the string table contain the name of a runtime? The table has the names
/// of all dynamic symbols and all needed libraries.
static bool namesSanitizer(int Fd, uint64_t At, uint64_t Size) {
  char Buffer[4096];
  size_t Have = 0;
  while (Size) {
    size_t Want = sizeof(Buffer) - Have < Size ? sizeof(Buffer) - Have : Size;
    if (!readAt(Fd, At, Buffer + Have, Want))
      return false;
    At += Want;
    Size -= Want;
    Have += Want;
    const char *S = Buffer, *End = Buffer + Have;
    while (auto *Nul = static_cast<const char *>(memchr(S, 0, End - S))) {
      if (isRuntimeSymbol(S, Nul - S) || isRuntimeLibrary(S, Nul - S))
        return true;
      S = Nul + 1;
    }
    // Of a name longer than the buffer, the end is enough.
    if (S == Buffer && Have == sizeof(Buffer))
      S = End - 64;
    Have = size_t(End - S);
    memmove(Buffer, S, Have);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// ELF
//===----------------------------------------------------------------------===//

namespace {
struct Headers {
  Elf64_Phdr All[MaxHeaders];
  size_t Count = 0;

  bool read(int Fd, const Elf64_Ehdr &H) {
    if (H.e_phentsize != sizeof(Elf64_Phdr))
      return false;
    Count = H.e_phnum < MaxHeaders ? H.e_phnum : MaxHeaders;
    return readAt(Fd, H.e_phoff, All, Count * sizeof(Elf64_Phdr));
  }
  const Elf64_Phdr *find(uint32_t Type) const {
    for (size_t I = 0; I < Count; ++I)
      if (All[I].p_type == Type)
        return &All[I];
    return nullptr;
  }
  /// The file offset of \p Bytes at an address; false: not in the file.
  bool offsetOf(uint64_t Address, uint64_t Bytes, uint64_t &Offset) const {
    for (size_t I = 0; I < Count; ++I) {
      const Elf64_Phdr &P = All[I];
      uint64_t In = Address - P.p_vaddr;
      if (P.p_type != PT_LOAD || In >= P.p_filesz || Bytes > P.p_filesz - In)
        continue;
      Offset = P.p_offset + In;
      return true;
    }
    return false;
  }
};
} // namespace

/// The string table of the dynamic section \p P.
static bool findStrings(int Fd, const Elf64_Phdr &P, uint64_t &Address,
                        uint64_t &Size) {
  Address = Size = 0;
  size_t Count = P.p_filesz / sizeof(Elf64_Dyn);
  if (Count > MaxDynamic)
    Count = MaxDynamic;
  Elf64_Dyn Some[32];
  for (size_t I = 0; I < Count; ++I) {
    size_t In = I % 32, Left = Count - I < 32 ? Count - I : 32;
    if (In == 0 && !readAt(Fd, P.p_offset + I * sizeof(Elf64_Dyn), Some,
                           Left * sizeof(Elf64_Dyn)))
      return false;
    if (Some[In].d_tag == DT_NULL)
      break;
    if (Some[In].d_tag == DT_STRTAB)
      Address = Some[In].d_un.d_ptr;
    if (Some[In].d_tag == DT_STRSZ)
      Size = Some[In].d_un.d_val;
  }
  return Address && Size;
}

static bool isElf(const Elf64_Ehdr &H) {
  return memcmp(H.e_ident, ELFMAG, SELFMAG) == 0 &&
         H.e_ident[EI_CLASS] == ELFCLASS64 &&
         H.e_ident[EI_DATA] == ELFDATA2LSB && H.e_machine == EM_X86_64;
}

static bool elfHasSanitizer(int Fd) {
  Elf64_Ehdr H;
  uint64_t Address, Size, Offset;
  {
    Headers P;
    if (!readAt(Fd, 0, &H, sizeof(H)) || !isElf(H) || !P.read(Fd, H))
      return false;
    const Elf64_Phdr *Dynamic = P.find(PT_DYNAMIC);
    if (!Dynamic || !findStrings(Fd, *Dynamic, Address, Size) ||
        !P.offsetOf(Address, Size, Offset))
      return false;
  }
  return namesSanitizer(Fd, Offset, Size < MaxStrings ? Size : MaxStrings);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

int capture::openToExamine(int Folder, const char *Path) {
  // Opening a device may have an effect.
  struct stat St;
  if (sys::failed(
          sys::call(SYS_newfstatat, Folder, long(Path), long(&St), 0)) ||
      !S_ISREG(St.st_mode))
    return -1;
  long Fd = sys::call(SYS_openat, Folder, long(Path),
                      O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
  if (sys::failed(Fd) || Fd > 2)
    return sys::failed(Fd) ? -1 : int(Fd);
  // Another thread might use the number as a standard stream.
  long Higher = sys::call(SYS_fcntl, Fd, F_DUPFD_CLOEXEC, 3);
  sys::close(int(Fd));
  return sys::failed(Higher) ? -1 : int(Higher);
}

/// Opens the interpreter of the script \p Fd; -1: no script.
static int openInterpreter(int Fd) {
  char Line[256]; // the kernel's limit
  long N = sys::call(SYS_pread64, Fd, long(Line), sizeof(Line) - 1, 0);
  if (N < 2 || Line[0] != '#' || Line[1] != '!')
    return -1;
  Line[N] = 0;
  char *Path = Line + 2 + strspn(Line + 2, " \t");
  Path[strcspn(Path, " \t\n")] = 0;
  return openToExamine(AT_FDCWD, Path);
}

bool capture::hasSanitizer(int Fd) {
  int Interpreter = openInterpreter(Fd);
  if (Interpreter < 0)
    return elfHasSanitizer(Fd);
  bool Has = elfHasSanitizer(Interpreter);
  sys::close(Interpreter);
  return Has;
}
