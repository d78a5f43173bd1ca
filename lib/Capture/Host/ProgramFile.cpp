// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a program's file may be preloaded.

#include "ProgramFile.h"
#include "Runtime/Syscall.h"
#include "Wire/GlibcLoader.h"

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <iterator>
#include <sys/stat.h>

using namespace memkit;
using namespace memkit::capture;

static constexpr size_t MaxHeaders = 32;
static constexpr size_t MaxDynamic = 512;
/// Such a table is read as a whole.
static constexpr uint64_t ShortStrings = 2048;
/// Bounds the time to some milliseconds.
static constexpr uint64_t MaxStrings = 4 << 20;
/// The pieces in which a file is read. The caller may run on a small stack, of
/// a crash handler for example, so functions with buffers have frames of their
/// own.
static constexpr size_t ReadBytes = 256;
#define OWN_FRAME __attribute__((noinline))

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

/// What the program headers say.
struct FileSegments {
  struct FilePart {
    uint64_t Address, Bytes, Offset;
  };
  FilePart Loads[6]; ///< the first ones; a program has four or five
  size_t NumLoads = 0;
  FilePart Dynamic = {}, Interpreter = {}; ///< no Bytes: none

  bool read(int Fd, const Elf64_Ehdr &H);
  /// The file offset of \p Bytes at an address; false: not in the file.
  bool offsetOf(uint64_t Address, uint64_t Bytes, uint64_t &Offset) const;

private:
  void take(const Elf64_Phdr &P);
};

/// The parts of an open ELF file that name what the program links.
class Linkage {
public:
  explicit Linkage(int Fd) : Fd(Fd) {}

  /// Reads the dynamic section; false: there is none, or the file is damaged.
  bool read(const Elf64_Ehdr &H);
  /// True also without a loader.
  bool hasOurLoader() const;
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
  FileSegments P;
  uint64_t Strings = 0, StringBytes = 0, Symbols = 0, Hash = 0; ///< addresses
};

} // namespace

static bool isElf(const Elf64_Ehdr &H) {
  return memcmp(H.e_ident, ELFMAG, SELFMAG) == 0;
}

/// A program for another machine or of 32 bits has its own loader, which cannot
/// load this library.
static bool isOurMachine(const Elf64_Ehdr &H) {
  return H.e_ident[EI_CLASS] == ELFCLASS64 &&
         H.e_ident[EI_DATA] == ELFDATA2LSB && H.e_machine == EM_X86_64;
}

void FileSegments::take(const Elf64_Phdr &P) {
  FilePart At = {P.p_vaddr, P.p_filesz, P.p_offset};
  if (P.p_type == PT_LOAD && NumLoads != std::size(Loads))
    Loads[NumLoads++] = At;
  else if (P.p_type == PT_DYNAMIC && !Dynamic.Bytes)
    Dynamic = At;
  else if (P.p_type == PT_INTERP && !Interpreter.Bytes)
    Interpreter = At;
}

OWN_FRAME bool FileSegments::read(int Fd, const Elf64_Ehdr &H) {
  if (H.e_phentsize != sizeof(Elf64_Phdr))
    return false;
  constexpr size_t Some = 4;
  Elf64_Phdr All[Some];
  size_t Count = H.e_phnum < MaxHeaders ? H.e_phnum : MaxHeaders;
  for (size_t I = 0; I < Count; I += Some) {
    size_t N = Count - I < Some ? Count - I : Some;
    if (!readAt(Fd, H.e_phoff + I * sizeof(*All), All, N * sizeof(*All)))
      return false;
    for (size_t In = 0; In != N; ++In)
      take(All[In]);
  }
  return true;
}

bool FileSegments::offsetOf(uint64_t Address, uint64_t Bytes,
                            uint64_t &Offset) const {
  for (size_t I = 0; I != NumLoads; ++I) {
    const FilePart &P = Loads[I];
    uint64_t In = Address - P.Address;
    if (In >= P.Bytes || Bytes > P.Bytes - In)
      continue;
    Offset = P.Offset + In;
    return true;
  }
  return false;
}

/// Calls \p Do with each entry of the dynamic section until it returns false;
/// false: the section cannot be read.
template <typename Fn> bool Linkage::forEntries(Fn Do) const {
  size_t Count = P.Dynamic.Bytes / sizeof(Elf64_Dyn);
  if (Count > MaxDynamic)
    Count = MaxDynamic;
  constexpr size_t AtOnce = 8;
  Elf64_Dyn Some[AtOnce];
  for (size_t I = 0; I < Count; ++I) {
    size_t In = I % AtOnce, Left = Count - I < AtOnce ? Count - I : AtOnce;
    if (In == 0 && !readAt(Fd, P.Dynamic.Offset + I * sizeof(Elf64_Dyn), Some,
                           Left * sizeof(Elf64_Dyn)))
      return false;
    if (Some[In].d_tag == DT_NULL || !Do(Some[In]))
      break;
  }
  return true;
}

OWN_FRAME bool Linkage::read(const Elf64_Ehdr &H) {
  return P.read(Fd, H) && P.Dynamic.Bytes &&
         forEntries([this](const Elf64_Dyn &D) {
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
OWN_FRAME bool Linkage::scanStrings(uint64_t Size) const {
  uint64_t At;
  if (!P.offsetOf(Strings, Size, At))
    return false;
  char Buffer[ReadBytes];
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

OWN_FRAME bool Linkage::needsRuntime() const {
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
OWN_FRAME bool Linkage::defines(const HashTable &T,
                                const RuntimeName &Name) const {
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
  if (StringBytes <= ShortStrings || !readTable(T))
    return scanStrings(StringBytes < MaxStrings ? StringBytes : MaxStrings);
  if (needsRuntime())
    return true;
  for (const RuntimeName &Name : RuntimeSymbols)
    if (defines(T, Name))
      return true;
  return false;
}

/// Is the loader glibc's? Others (musl's, bionic's) do not know what this
/// library needs of libc, and the program would not start.
OWN_FRAME bool Linkage::hasOurLoader() const {
  uint64_t N = P.Interpreter.Bytes;
  if (!N)
    return true;
  char End[40];
  uint64_t Cut = N < sizeof(End) ? 0 : N - (sizeof(End) - 1);
  if (!readAt(Fd, P.Interpreter.Offset + Cut, End, N - Cut))
    return true;
  End[N - Cut] = 0;
  const char *Slash = strrchr(End, '/');
  return wire::isGlibcLoader(Slash ? Slash + 1 : End);
}

/// True also for a file that cannot be read, and for one that is no ELF file.
static bool elfMayBePreloaded(int Fd) {
  Elf64_Ehdr H;
  if (!readAt(Fd, 0, &H, sizeof(H)) || !isElf(H))
    return true;
  if (!isOurMachine(H))
    return false;
  Linkage L(Fd);
  return !L.read(H) || (L.hasOurLoader() && !L.namesSanitizer());
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

OWN_FRAME int capture::openToExamine(int Folder, const char *Path,
                                     bool &HasPath) {
  // Opening a device may have an effect.
  struct stat St;
  long Found = sys::call(SYS_newfstatat, Folder, long(Path), long(&St), 0);
  HasPath = Found != -EFAULT;
  if (sys::failed(Found) || !S_ISREG(St.st_mode))
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
OWN_FRAME static int openInterpreter(int Fd) {
  char Line[256]; // the kernel's limit
  long N = sys::call(SYS_pread64, Fd, long(Line), sizeof(Line) - 1, 0);
  if (N < 2 || Line[0] != '#' || Line[1] != '!')
    return -1;
  Line[N] = 0;
  char *Path = Line + 2 + strspn(Line + 2, " \t");
  Path[strcspn(Path, " \t\n")] = 0;
  bool HasPath;
  return openToExamine(AT_FDCWD, Path, HasPath);
}

bool capture::mayBePreloaded(int Fd) {
  int Interpreter = openInterpreter(Fd);
  if (Interpreter < 0)
    return elfMayBePreloaded(Fd);
  bool May = elfMayBePreloaded(Interpreter);
  sys::close(Interpreter);
  return May;
}
