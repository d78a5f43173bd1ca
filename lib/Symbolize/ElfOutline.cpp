// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The headers of an ELF file.

#include "ElfOutline.h"
#include "Support/Failure.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace llvm::ELF;
using namespace memkit;

/// Larger values are damage: a linker writes some dozens of sections.
static constexpr uint64_t MaxSections = 65536, MaxNameTable = 4u << 20;
static constexpr uint64_t MaxNoteBytes = 1u << 20, MaxNoteParts = 64;
static constexpr uint64_t MaxLinkBytes = 8192, MaxBuildId = 256;

bool ElfSection::hasBytes() const {
  return Type != SHT_NOBITS && Type != SHT_NULL;
}
bool ElfSection::isAllocated() const { return Flags & SHF_ALLOC; }

const ElfSection *ElfOutline::section(StringRef Name) const {
  for (const ElfSection &S : Sections)
    if (S.Name == Name)
      return &S;
  return nullptr;
}

bool ElfOutline::hasDebugInfo() const {
  for (StringRef Name : {".debug_info", ".zdebug_info"})
    if (const ElfSection *S = section(Name))
      return S->hasBytes() && S->Size != 0;
  return false;
}

static bool hasTable(const ElfOutline &O, uint32_t Type) {
  return any_of(O.Sections, [&](const ElfSection &S) {
    return S.Type == Type && S.Size > sizeof(Elf64_Sym);
  });
}
bool ElfOutline::hasSymbols() const { return hasTable(*this, SHT_SYMTAB); }
bool ElfOutline::hasDynamicSymbols() const {
  return hasTable(*this, SHT_DYNSYM);
}

namespace {

/// Fills an ElfOutline from a file.
class OutlineReader {
public:
  explicit OutlineReader(const OpenedFile &File) : File(File) {}
  Error read();
  ElfOutline take() { return std::move(Out); }

private:
  Error readHeader();
  Error readSegments();
  Error readSections();
  Error nameSections(const std::vector<Elf64_Shdr> &Headers, uint64_t Names);
  Error readBuildId();
  Error readNotes(uint64_t Offset, uint64_t Size);
  Error readLinks();
  Expected<std::string> bytesOf(const ElfSection &S, uint64_t Max);

  const OpenedFile &File;
  Elf64_Ehdr Header;
  ElfOutline Out;
};

} // namespace

Error OutlineReader::readHeader() {
  if (File.bytes() < sizeof(ElfMagic) - 1)
    return makeError(File.bytes() ? "is not an ELF file" : "is empty");
  char Magic[EI_NIDENT] = {};
  if (Error E =
          File.read(0, std::min<uint64_t>(File.bytes(), sizeof(Magic)), Magic))
    return E;
  if (memcmp(Magic, ElfMagic, sizeof(ElfMagic) - 1) != 0)
    return makeError("is not an ELF file");
  if (Magic[EI_CLASS] != ELFCLASS64 || Magic[EI_DATA] != ELFDATA2LSB)
    return makeError("is not an ELF file of 64 bits, little-endian");
  if (File.bytes() < sizeof(Header))
    return makeError("the ELF header is cut off");
  if (Error E = File.read(0, sizeof(Header), &Header))
    return E;
  if (Header.e_phnum && Header.e_phentsize != sizeof(Elf64_Phdr))
    return makeError("program headers have " + Twine(Header.e_phentsize) +
                     " bytes each, not " + Twine(sizeof(Elf64_Phdr)));
  if (Header.e_shoff && Header.e_shentsize != sizeof(Elf64_Shdr))
    return makeError("section headers have " + Twine(Header.e_shentsize) +
                     " bytes each, not " + Twine(sizeof(Elf64_Shdr)));
  Out.Type = Header.e_type;
  Out.Machine = Header.e_machine;
  return Error::success();
}

Error OutlineReader::readSegments() {
  if (!Header.e_phoff)
    return Error::success();
  std::vector<Elf64_Phdr> Headers(Header.e_phnum);
  if (Error E = File.read(Header.e_phoff, Headers.size() * sizeof(Elf64_Phdr),
                          Headers.data()))
    return E;
  for (const Elf64_Phdr &P : Headers)
    Out.Segments.push_back(
        {P.p_type, P.p_flags, P.p_offset, P.p_vaddr, P.p_filesz, P.p_memsz});
  return Error::success();
}

/// Names the sections by the table of names, section Names.
Error OutlineReader::nameSections(const std::vector<Elf64_Shdr> &Headers,
                                  uint64_t Names) {
  std::vector<char> Table;
  if (Names && Names < Headers.size() && Headers[Names].sh_type == SHT_STRTAB) {
    if (Headers[Names].sh_size > MaxNameTable)
      return makeError("the names of sections have " +
                       Twine(Headers[Names].sh_size) + " bytes");
    Table.resize(Headers[Names].sh_size);
    if (Error E =
            File.read(Headers[Names].sh_offset, Table.size(), Table.data()))
      return E;
  }
  for (size_t I = 0; I != Headers.size(); ++I) {
    size_t At = Headers[I].sh_name;
    if (At < Table.size())
      Out.Sections[I].Name.assign(
          &Table[At],
          strnlen(&Table[At], std::min<size_t>(Table.size() - At, 256)));
  }
  return Error::success();
}

Error OutlineReader::readSections() {
  if (!Header.e_shoff)
    return Error::success();
  // With 0 in the header, the first section has the numbers.
  Elf64_Shdr First;
  if (Error E = File.read(Header.e_shoff, sizeof(First), &First))
    return E;
  uint64_t Count = Header.e_shnum ? Header.e_shnum : First.sh_size;
  uint64_t Names =
      Header.e_shstrndx == SHN_XINDEX ? First.sh_link : Header.e_shstrndx;
  if (Count > MaxSections)
    return makeError("the header claims " + Twine(Count) + " sections");
  std::vector<Elf64_Shdr> Headers(Count);
  if (Error E =
          File.read(Header.e_shoff, Count * sizeof(Elf64_Shdr), Headers.data()))
    return E;
  for (const Elf64_Shdr &H : Headers) {
    ElfSection &S = Out.Sections.emplace_back();
    S.Type = H.sh_type;
    S.Flags = H.sh_flags;
    S.Address = H.sh_addr;
    S.Offset = H.sh_offset;
    S.Size = H.sh_size;
    if (S.hasBytes() &&
        (S.Offset > File.bytes() || S.Size > File.bytes() - S.Offset))
      return makeError("section " + Twine(Out.Sections.size() - 1) +
                       " is beyond the file's end at " + Twine(File.bytes()));
  }
  return nameSections(Headers, Names);
}

Expected<std::string> OutlineReader::bytesOf(const ElfSection &S,
                                             uint64_t Max) {
  if (S.Size > Max)
    return makeError(S.Name + " has " + Twine(S.Size) + " bytes");
  std::string Bytes(S.Size, 0);
  if (Error E = File.read(S.Offset, S.Size, Bytes.data()))
    return std::move(E);
  return Bytes;
}

/// Searches a list of notes for the build-id. A damaged list has none.
Error OutlineReader::readNotes(uint64_t Offset, uint64_t Size) {
  // Notes with other alignments hold no build-id.
  constexpr uint64_t Align = 4;
  std::string Bytes(std::min(Size, MaxNoteBytes), 0);
  if (Error E = File.read(Offset, Bytes.size(), Bytes.data()))
    return E;
  StringRef Rest = Bytes;
  while (Out.BuildId.empty() && Rest.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr Note;
    memcpy(&Note, Rest.data(), sizeof(Note));
    Rest = Rest.drop_front(sizeof(Note));
    uint64_t NameBytes = alignTo(uint64_t(Note.n_namesz), Align);
    uint64_t IdBytes = Note.n_descsz;
    if (NameBytes > Rest.size() || IdBytes > Rest.size() - NameBytes)
      break;
    StringRef Name = Rest.take_front(Note.n_namesz).rtrim('\0');
    StringRef Id = Rest.substr(NameBytes, IdBytes);
    if (Note.n_type == NT_GNU_BUILD_ID && Name == "GNU" && !Id.empty() &&
        Id.size() <= MaxBuildId)
      Out.BuildId.assign(Id.bytes_begin(), Id.bytes_end());
    Rest = Rest.drop_front(
        std::min<uint64_t>(NameBytes + alignTo(IdBytes, Align), Rest.size()));
  }
  return Error::success();
}

/// Sections come first: in a debug file the offsets of segments mean nothing.
Error OutlineReader::readBuildId() {
  uint64_t Parts = 0;
  for (const ElfSection &S : Out.Sections)
    if (S.Type == SHT_NOTE && Out.BuildId.empty() && ++Parts <= MaxNoteParts)
      if (Error E = readNotes(S.Offset, S.Size))
        return E;
  if (!Out.Sections.empty())
    return Error::success();
  for (const ElfSegment &S : Out.Segments)
    if (S.Type == PT_NOTE && Out.BuildId.empty() && ++Parts <= MaxNoteParts)
      if (Error E = readNotes(S.Offset, S.FileSize))
        return E;
  return Error::success();
}

Error OutlineReader::readLinks() {
  if (const ElfSection *S = Out.section(".gnu_debuglink"); S && S->hasBytes()) {
    Expected<std::string> Bytes = bytesOf(*S, MaxLinkBytes);
    if (!Bytes)
      return Bytes.takeError();
    // A name, zeros up to a multiple of 4, the CRC.
    size_t Length = StringRef(*Bytes).find('\0');
    if (Length != StringRef::npos &&
        Bytes->size() >= alignTo(Length + 1, 4) + 4) {
      Out.DebugLink = Bytes->substr(0, Length);
      Out.DebugLinkCrc =
          support::endian::read32le(Bytes->data() + alignTo(Length + 1, 4));
    }
  }
  if (const ElfSection *S = Out.section(".gnu_debugaltlink");
      S && S->hasBytes()) {
    Expected<std::string> Bytes = bytesOf(*S, MaxLinkBytes);
    if (!Bytes)
      return Bytes.takeError();
    size_t Length = StringRef(*Bytes).find('\0');
    if (Length != StringRef::npos && Length + 1 < Bytes->size()) {
      StringRef Id = StringRef(*Bytes).drop_front(Length + 1);
      Out.AltLink = Bytes->substr(0, Length);
      Out.AltBuildId.assign(Id.bytes_begin(), Id.bytes_end());
    }
  }
  return Error::success();
}

Error OutlineReader::read() {
  if (Error E = readHeader())
    return E;
  if (Error E = readSegments())
    return E;
  if (Error E = readSections())
    return E;
  if (Error E = readBuildId())
    return E;
  return readLinks();
}

Expected<ElfOutline> memkit::readElfOutline(StringRef Path) {
  Expected<OpenedFile> File = OpenedFile::open(Path);
  if (!File)
    return File.takeError();
  OutlineReader Reader(*File);
  if (Error E = Reader.read())
    return std::move(E);
  return Reader.take();
}
