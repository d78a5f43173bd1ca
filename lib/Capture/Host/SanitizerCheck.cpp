// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds sanitizers in a program's file.

#include "SanitizerCheck.h"
#include "Runtime/Syscall.h"

#include <cstring>
#include <elf.h>
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

namespace {
struct RuntimeName {
  const char *Start;
  size_t Size;
  template <size_t N>
  constexpr RuntimeName(const char (&Literal)[N])
      : Start(Literal), Size(N - 1) {}
};
} // namespace

/// The set-up functions of the runtimes, and how all of them end.
static constexpr RuntimeName RuntimeSymbols[] = {
    "__asan_init", "__tsan_init", "__msan_init", "__hwasan_init", "__lsan_init",
};
static constexpr RuntimeName RuntimeSymbolEnd = "san_init";

/// The runtimes as shared libraries, of gcc or clang.
static constexpr RuntimeName RuntimeLibraries[] = {
    "libasan.so",       "libtsan.so",       "liblsan.so",        "libhwasan.so",
    "libclang_rt.asan", "libclang_rt.tsan", "libclang_rt.hwasan"};

static bool endsIn(const char *Name, size_t N, const RuntimeName &End) {
  return N >= End.Size && memcmp(Name + N - End.Size, End.Start, End.Size) == 0;
}

/// Does the name end in a set-up function of a runtime? A linker stores a name
/// that is the end of a longer name inside the longer name, so the text before
/// the end does not matter.
static bool isRuntimeSymbol(const char *Name, size_t N) {
  if (!endsIn(Name, N, RuntimeSymbolEnd))
    return false;
  for (const RuntimeName &End : RuntimeSymbols)
    if (endsIn(Name, N, End))
      return true;
  return false;
}

static bool isRuntimeLibrary(const char *Name, size_t N) {
  for (const RuntimeName &Start : RuntimeLibraries)
    if (N >= Start.Size && memcmp(Name, Start.Start, Start.Size) == 0)
      return true;
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

/// The parts of an open ELF file that name what the program links.
class Linkage {
public:
  explicit Linkage(int Fd) : Fd(Fd) {}

  /// Reads the dynamic section; false: there is none, or the file is damaged.
  bool read();
  bool namesSanitizer() const;

private:
  /// A table of GNU's hash style, by address.
  struct HashTable {
    uint32_t Buckets, FirstSymbol, FilterWords, FilterShift;
    uint64_t Filter, Bucket, Chain;
  };

  template <typename Fn> bool forEntries(Fn Do) const;
  bool scanStrings(uint64_t Size) const;
  bool needsRuntime() const;
  bool readTable(HashTable &T) const;
  bool defines(const HashTable &T, const RuntimeName &Name) const;
  bool isSymbol(uint64_t Index, const RuntimeName &Name) const;
  bool readMemory(uint64_t Address, void *To, size_t Bytes) const {
    uint64_t Offset;
    return P.offsetOf(Address, Bytes, Offset) && readAt(Fd, Offset, To, Bytes);
  }

  int Fd;
  Headers P;
  const Elf64_Phdr *Dynamic = nullptr;
  uint64_t Strings = 0, StringBytes = 0, Symbols = 0, Hash = 0; ///< addresses
};

} // namespace

static bool isElf(const Elf64_Ehdr &H) {
  return memcmp(H.e_ident, ELFMAG, SELFMAG) == 0 &&
         H.e_ident[EI_CLASS] == ELFCLASS64 &&
         H.e_ident[EI_DATA] == ELFDATA2LSB && H.e_machine == EM_X86_64;
}

/// Calls \p Do with each entry of the dynamic section until it returns false;
/// false: the section cannot be read.
template <typename Fn> bool Linkage::forEntries(Fn Do) const {
  size_t Count = Dynamic->p_filesz / sizeof(Elf64_Dyn);
  if (Count > MaxDynamic)
    Count = MaxDynamic;
  Elf64_Dyn Some[32];
  for (size_t I = 0; I < Count; ++I) {
    size_t In = I % 32, Left = Count - I < 32 ? Count - I : 32;
    if (In == 0 && !readAt(Fd, Dynamic->p_offset + I * sizeof(Elf64_Dyn), Some,
                           Left * sizeof(Elf64_Dyn)))
      return false;
    if (Some[In].d_tag == DT_NULL || !Do(Some[In]))
      break;
  }
  return true;
}

bool Linkage::read() {
  Elf64_Ehdr H;
  if (!readAt(Fd, 0, &H, sizeof(H)) || !isElf(H) || !P.read(Fd, H))
    return false;
  Dynamic = P.find(PT_DYNAMIC);
  return Dynamic && forEntries([this](const Elf64_Dyn &D) {
           switch (D.d_tag) {
           case DT_STRTAB:
             Strings = D.d_un.d_ptr;
             break;
           case DT_STRSZ:
             StringBytes = D.d_un.d_val;
             break;
           case DT_SYMTAB:
             Symbols = D.d_un.d_ptr;
             break;
           case DT_GNU_HASH:
             Hash = D.d_un.d_ptr;
             break;
           }
           return true;
         });
}

/// Does the string table contain the name of a runtime? The table has the names
/// of all dynamic symbols and all needed libraries. Reads \p Size bytes.
bool Linkage::scanStrings(uint64_t Size) const {
  uint64_t At;
  if (!P.offsetOf(Strings, Size, At))
    return false;
  char Buffer[2048];
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

bool Linkage::needsRuntime() const {
  bool Needs = false;
  forEntries([&](const Elf64_Dyn &D) {
    if (D.d_tag != DT_NEEDED || D.d_un.d_val >= StringBytes)
      return true;
    char Name[20]; // longer than each of RuntimeLibraries
    uint64_t Left = StringBytes - D.d_un.d_val;
    size_t N = Left < sizeof(Name) ? Left : sizeof(Name);
    Needs = readMemory(Strings + D.d_un.d_val, Name, N) &&
            isRuntimeLibrary(Name, N);
    return !Needs;
  });
  return Needs;
}

bool Linkage::readTable(HashTable &T) const {
  uint32_t Fields[4];
  if (!Hash || !Symbols || !readMemory(Hash, Fields, sizeof(Fields)))
    return false;
  T = {Fields[0], Fields[1], Fields[2], Fields[3], 0, 0, 0};
  T.Filter = Hash + sizeof(Fields);
  T.Bucket = T.Filter + uint64_t(T.FilterWords) * 8;
  T.Chain = T.Bucket + uint64_t(T.Buckets) * 4;
  return T.Buckets && T.FilterWords && T.FilterShift < 32;
}

bool Linkage::isSymbol(uint64_t Index, const RuntimeName &Name) const {
  Elf64_Sym S;
  char Found[16]; // longer than each of RuntimeSymbols
  return readMemory(Symbols + Index * sizeof(S), &S, sizeof(S)) &&
         S.st_name < StringBytes &&
         readMemory(Strings + S.st_name, Found, Name.Size + 1) &&
         memcmp(Found, Name.Start, Name.Size + 1) == 0;
}

/// Is \p Name among the symbols that the file defines? A filter nearly always
/// says no after eight bytes.
bool Linkage::defines(const HashTable &T, const RuntimeName &Name) const {
  uint32_t H = 5381;
  for (size_t I = 0; I < Name.Size; ++I)
    H = H * 33 + uint8_t(Name.Start[I]);
  uint64_t Filter;
  uint32_t Index;
  if (!readMemory(T.Filter + H / 64 % T.FilterWords * 8, &Filter, 8) ||
      !(Filter >> H % 64 & Filter >> (H >> T.FilterShift) % 64 & 1) ||
      !readMemory(T.Bucket + uint64_t(H % T.Buckets) * 4, &Index, 4) ||
      Index < T.FirstSymbol)
    return false;
  // A chain has a few symbols; the bound is for damaged files.
  for (unsigned I = 0; I != 256; ++I, ++Index) {
    uint32_t Of;
    if (!readMemory(T.Chain + uint64_t(Index - T.FirstSymbol) * 4, &Of, 4))
      return false;
    if ((Of | 1) == (H | 1) && isSymbol(Index, Name))
      return true;
    if (Of & 1)
      return false;
  }
  return false;
}

/// A short string table is read as a whole. A long table has the names that a
/// program defines for its plugins, a megabyte and more, so the names are
/// looked up: a runtime is a library that the program needs, or defines its
/// set-up function in the program.
bool Linkage::namesSanitizer() const {
  if (!Strings || !StringBytes)
    return false;
  HashTable T;
  if (StringBytes <= 2048 || !readTable(T))
    return scanStrings(StringBytes < MaxStrings ? StringBytes : MaxStrings);
  if (needsRuntime())
    return true;
  for (const RuntimeName &Name : RuntimeSymbols)
    if (defines(T, Name))
      return true;
  return false;
}

static bool elfHasSanitizer(int Fd) {
  Linkage L(Fd);
  return L.read() && L.namesSanitizer();
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
