// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The headers of ELF files.

#include "Symbolize/ElfOutline.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>

using namespace llvm;
using namespace llvm::ELF;
using namespace memkit;

namespace {

/// A file with some bytes, removed at the end.
class ScratchFile {
public:
  ScratchFile() {
    int Fd;
    EXPECT_FALSE(sys::fs::createTemporaryFile("elf", "", Fd, Path));
    raw_fd_ostream(Fd, /*shouldClose=*/true).flush();
  }
  ~ScratchFile() { sys::fs::remove(Path); }
  Expected<ElfOutline> read(StringRef Bytes) {
    std::error_code Code;
    raw_fd_ostream(Path, Code) << Bytes;
    return readElfOutline(Path);
  }
  std::string errorOf(StringRef Bytes) {
    Expected<ElfOutline> Outline = read(Bytes);
    return Outline ? "" : toString(Outline.takeError());
  }
  SmallString<128> Path;
};

template <typename T> StringRef bytesOf(const T &Value) {
  return StringRef(reinterpret_cast<const char *>(&Value), sizeof(Value));
}

/// A file with a segment and four sections: a build-id, a debug link, a shared
/// file, names.
std::string smallElf() {
  std::string Names("\0.note\0.gnu_debuglink\0.gnu_debugaltlink\0.names\0", 47);
  std::string Note("\4\0\0\0\3\0\0\0\3\0\0\0GNU\0abc\0", 20);
  std::string Link("a.debug\0\x78\x56\x34\x12", 12);
  std::string Alt("../b.dwz\0xyz", 12);
  std::string Body = Names + Note + Link + Alt;
  Elf64_Ehdr H = {};
  memcpy(H.e_ident, ElfMagic, 4);
  H.e_ident[EI_CLASS] = ELFCLASS64;
  H.e_ident[EI_DATA] = ELFDATA2LSB;
  H.e_type = ET_DYN;
  H.e_machine = EM_X86_64;
  H.e_phoff = sizeof(H);
  H.e_phentsize = sizeof(Elf64_Phdr);
  H.e_phnum = 1;
  uint64_t At = sizeof(H) + sizeof(Elf64_Phdr);
  H.e_shoff = At + Body.size();
  H.e_shentsize = sizeof(Elf64_Shdr);
  H.e_shnum = 5;
  H.e_shstrndx = 4;
  Elf64_Phdr P = {};
  P.p_type = PT_LOAD;
  P.p_memsz = 0x1000;
  std::string Out = (bytesOf(H) + bytesOf(P) + Body).str();
  auto Section = [&](uint32_t Name, uint32_t Type, uint64_t Size) {
    Elf64_Shdr S = {};
    S.sh_name = Name;
    S.sh_type = Type;
    S.sh_offset = At;
    S.sh_size = Size;
    At += Size;
    return bytesOf(S).str();
  };
  std::string NamesHeader = Section(39, SHT_STRTAB, Names.size());
  Out += std::string(sizeof(Elf64_Shdr), 0);
  Out += Section(1, SHT_NOTE, Note.size());
  Out += Section(7, SHT_PROGBITS, Link.size());
  Out += Section(22, SHT_PROGBITS, Alt.size());
  return Out + NamesHeader;
}

TEST(ElfOutline, ReadsHeaders) {
  ScratchFile File;
  Expected<ElfOutline> O = File.read(smallElf());
  ASSERT_TRUE(bool(O)) << toString(O.takeError());
  EXPECT_EQ(O->Machine, EM_X86_64);
  EXPECT_EQ(hexOf(O->BuildId), "616263");
  EXPECT_EQ(O->DebugLink, "a.debug");
  EXPECT_EQ(O->DebugLinkCrc, 0x12345678u);
  EXPECT_EQ(O->AltLink, "../b.dwz");
  EXPECT_EQ(hexOf(O->AltBuildId), "78797a");
  ASSERT_EQ(O->Segments.size(), 1u);
  EXPECT_EQ(O->Segments[0].MemorySize, 0x1000u);
  ASSERT_EQ(O->Sections.size(), 5u);
  EXPECT_EQ(O->Sections[2].Name, ".gnu_debuglink");
  EXPECT_FALSE(O->hasDebugInfo());
  EXPECT_FALSE(O->hasSymbols());
  EXPECT_EQ(O->section(".text"), nullptr);
}

TEST(ElfOutline, OtherFiles) {
  ScratchFile File;
  EXPECT_EQ(File.errorOf(""), "is empty");
  EXPECT_EQ(File.errorOf("MZ"), "is not an ELF file");
  EXPECT_EQ(File.errorOf("no ELF file at all"), "is not an ELF file");
  std::string Elf = smallElf();
  EXPECT_EQ(File.errorOf(Elf.substr(0, 40)), "the ELF header is cut off");
  std::string Small = Elf;
  Small[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(File.errorOf(Small),
            "is not an ELF file of 64 bits, little-endian");
  for (StringRef Path : {"/", "/dev/null", "/gone"}) {
    Expected<ElfOutline> O = readElfOutline(Path);
    ASSERT_FALSE(bool(O)) << Path.str();
    EXPECT_NE(toString(O.takeError()), "");
  }
}

TEST(ElfOutline, EveryCut) {
  ScratchFile File;
  std::string Elf = smallElf();
  for (size_t Size = 0; Size != Elf.size(); ++Size)
    EXPECT_NE(File.errorOf(StringRef(Elf).take_front(Size)), "") << Size;
}

TEST(ElfOutline, AnyHeaders) {
  ScratchFile File;
  std::mt19937 Random(1);
  for (unsigned I = 0; I != 5000; ++I) {
    std::string Elf = smallElf();
    for (unsigned N = Random() % 4 + 1; N; --N) {
      size_t At = Random() % (Elf.size() - 8);
      uint64_t Value = Random() % 3 ? Random() : UINT64_MAX;
      memcpy(&Elf[At], &Value, Random() % 8 + 1);
    }
    Expected<ElfOutline> O = File.read(Elf);
    if (!O) {
      consumeError(O.takeError());
      continue;
    }
    for (const ElfSection &S : O->Sections)
      if (S.hasBytes()) {
        EXPECT_LE(S.Offset + S.Size, Elf.size());
      }
  }
}

} // namespace
