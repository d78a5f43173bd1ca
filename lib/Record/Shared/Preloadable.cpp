// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a program can be recorded.

#include "Shared/Preloadable.h"
#include "Wire/GlibcLoader.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstdlib>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace llvm;
using namespace llvm::object;

namespace memkit {

/// Why the kernel makes the loader ignore LD_PRELOAD for the program; empty if
/// it does not.
static std::string whyPrivileged(const std::string &Path) {
  struct stat St;
  if (stat(Path.c_str(), &St) != 0)
    return "";
  if ((St.st_mode & S_ISUID) && St.st_uid != getuid())
    return "it is a set-user-id program";
  if ((St.st_mode & S_ISGID) && (St.st_mode & S_IXGRP) && St.st_gid != getgid())
    return "it is a set-group-id program";
  if (getuid() != 0 &&
      getxattr(Path.c_str(), "security.capability", nullptr, 0) > 0)
    return "it has file capabilities";
  return "";
}

std::string sanitizerOf(StringRef Name) {
  return StringSwitch<std::string>(Name)
      .Case("__asan_init", "AddressSanitizer")
      .Case("__tsan_init", "ThreadSanitizer")
      .Case("__msan_init", "MemorySanitizer")
      .Case("__hwasan_init", "HWAddressSanitizer")
      .Case("__lsan_init", "LeakSanitizer")
      .Default("");
}

/// The sanitizer whose runtime is a library that the program needs; the program
/// may have no instrumented code of its own.
static std::string sanitizerNeeded(const ELF64LEFile &Elf) {
  auto Entries = Elf.dynamicEntries();
  if (!Entries) {
    consumeError(Entries.takeError());
    return "";
  }
  uint64_t Address = 0, Size = 0;
  for (const auto &D : *Entries) {
    Address = D.d_tag == ELF::DT_STRTAB ? uint64_t(D.d_un.d_ptr) : Address;
    Size = D.d_tag == ELF::DT_STRSZ ? uint64_t(D.d_un.d_val) : Size;
  }
  auto Table = Elf.toMappedAddr(Address);
  if (!Table) {
    consumeError(Table.takeError());
    return "";
  }
  if (Size > uint64_t(Elf.base() + Elf.getBufSize() - *Table))
    return "";
  StringRef Strings(reinterpret_cast<const char *>(*Table), Size);
  for (const auto &D : *Entries) {
    if (D.d_tag != ELF::DT_NEEDED)
      continue;
    StringRef Name =
        Strings.substr(D.d_un.d_val).take_until([](char C) { return !C; });
    Name.consume_front("libclang_rt.") || Name.consume_front("lib");
    auto Sanitizer =
        StringSwitch<std::string>(Name.split('.').first.split('-').first)
            .Case("asan", "AddressSanitizer")
            .Case("tsan", "ThreadSanitizer")
            .Case("hwasan", "HWAddressSanitizer")
            .Case("lsan", "LeakSanitizer")
            .Default("");
    if (!Sanitizer.empty())
      return Sanitizer;
  }
  return "";
}

/// The path of the program's loader; empty: none.
static StringRef loaderOf(const ELF64LEFile &Elf) {
  auto Headers = Elf.program_headers();
  if (!Headers) {
    consumeError(Headers.takeError());
    return "";
  }
  for (const auto &P : *Headers) {
    if (P.p_type != ELF::PT_INTERP)
      continue;
    uint64_t Size = Elf.getBufSize();
    if (P.p_offset > Size || P.p_filesz > Size - P.p_offset)
      return "";
    return StringRef(reinterpret_cast<const char *>(Elf.base()) + P.p_offset,
                     P.p_filesz)
        .take_until([](char C) { return !C; });
  }
  return "";
}

static std::string whyNotElf(const ELF64LEObjectFile &File) {
  const ELF64LEFile &Elf = File.getELFFile();
  StringRef Loader = loaderOf(Elf);
  if (Loader.empty())
    return "it is statically linked";
  std::string Name = sys::path::filename(Loader).str();
  if (!wire::isGlibcLoader(Name.c_str()))
    return "its loader " + Name + " is not glibc's";
  std::string Sanitizer = sanitizerNeeded(Elf);
  for (ELFSymbolRef S : File.getDynamicSymbolIterators()) {
    if (!Sanitizer.empty())
      break;
    Expected<StringRef> Name = S.getName();
    if (!Name) {
      consumeError(Name.takeError());
      continue;
    }
    Sanitizer = sanitizerOf(*Name);
  }
  return Sanitizer.empty() ? ""
                           : "it is linked with the runtime of " + Sanitizer;
}

static bool isOurMachine(const ELF64LEObjectFile &File) {
#if defined(__x86_64__)
  return File.getArch() == Triple::x86_64;
#else
  return File.getArch() == Triple::aarch64;
#endif
}

/// The interpreter that a script names, or an empty string.
static std::string interpreterOf(StringRef Text) {
  if (!Text.consume_front("#!"))
    return "";
  return Text.take_until([](char C) { return C == '\n'; })
      .ltrim(" \t")
      .take_until([](char C) { return C == ' ' || C == '\t'; })
      .str();
}

std::string whyNotPreloadable(StringRef Path, StringRef Root) {
  std::string At = (Root + Path).str();
  // A script may name a script; the kernel follows a few steps, too.
  for (int Step = 0; Step != 5; ++Step) {
    auto Buffer = MemoryBuffer::getFile(At, /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false);
    if (!Buffer)
      return "";
    StringRef Text = (*Buffer)->getBuffer();
    std::string Interpreter = interpreterOf(Text.take_front(4096));
    if (!Interpreter.empty()) {
      At = Root.str() + Interpreter;
      continue;
    }
    if (!Text.starts_with(StringRef("\177ELF")))
      return "";
    if (std::string Why = whyPrivileged(At); !Why.empty())
      return Why;
    auto File = ObjectFile::createELFObjectFile((*Buffer)->getMemBufferRef());
    if (!File) {
      consumeError(File.takeError());
      return "";
    }
    auto *Elf = dyn_cast<ELF64LEObjectFile>(File->get());
    if (!Elf || !isOurMachine(*Elf))
      return "it is a program of another ELF class or machine";
    return whyNotElf(*Elf);
  }
  return "";
}

int findProgram(StringRef Program, std::string &Out) {
  auto Try = [&Out](const std::string &Path) {
    struct stat St;
    if (stat(Path.c_str(), &St) != 0)
      return errno;
    if (S_ISDIR(St.st_mode) || access(Path.c_str(), X_OK) != 0)
      return EACCES;
    Out = Path;
    return 0;
  };
  if (Program.empty())
    return ENOENT;
  if (Program.contains('/'))
    return Try(Program.str());
  const char *PathVar = std::getenv("PATH");
  SmallVector<StringRef, 16> Folders;
  StringRef(PathVar ? PathVar : "/bin:/usr/bin").split(Folders, ':');
  int Error = ENOENT;
  for (StringRef Folder : Folders) {
    int E = Try((Folder.empty() ? "." : Folder.str()) + "/" + Program.str());
    if (!E)
      return 0;
    if (E == EACCES)
      Error = EACCES;
  }
  return Error;
}

} // namespace memkit
