// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information that several files share.

#include "SharedDwarf.h"
#include "DwarfReferences.h"
#include "Support/Failure.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/Decompressor.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;
using namespace memkit;

/// Maximum bytes of the sections of both files.
static constexpr uint64_t MaxJoinedBytes = uint64_t(8) << 30;

bool memkit::usesSharedDwarf(const object::ObjectFile &File) {
  for (const object::SectionRef &S : File.sections()) {
    Expected<StringRef> Name = S.getName();
    if (!Name)
      consumeError(Name.takeError());
    else if (*Name == ".gnu_debugaltlink")
      return true;
  }
  return false;
}

/// The bytes of a section, decompressed.
static Expected<std::string> sectionBytes(const object::SectionRef &S,
                                          StringRef Name) {
  Expected<StringRef> Bytes = S.getContents();
  if (!Bytes)
    return Bytes.takeError();
  if (!S.isCompressed())
    return Bytes->str();
  Expected<object::Decompressor> Packed =
      object::Decompressor::create(Name, *Bytes, true, true);
  if (!Packed)
    return Packed.takeError();
  SmallVector<uint8_t, 0> Out;
  if (Error E = Packed->resizeAndDecompress(Out))
    return std::move(E);
  return std::string(reinterpret_cast<char *>(Out.data()), Out.size());
}

/// Reads the sections of debug information.
static Error readDwarfSections(const object::ObjectFile &File,
                               DwarfSections &Out) {
  uint64_t Bytes = 0;
  for (const object::SectionRef &S : File.sections()) {
    Expected<StringRef> Name = S.getName();
    if (!Name)
      return Name.takeError();
    if (!Name->starts_with(".debug_") || S.isVirtual())
      continue;
    Expected<std::string> Read = sectionBytes(S, *Name);
    if (!Read)
      return Read.takeError();
    Bytes += Read->size();
    if (Bytes > MaxJoinedBytes)
      return makeError("more than 8 GiB of debug information");
    Out[Name->drop_front()] = std::move(*Read);
  }
  return Error::success();
}

/// Appends the sections of Alt to Main and replaces the references.
static Error joinSections(DwarfSections &Main, DwarfSections &Alt) {
  std::string &Strings = Main["debug_str"];
  // What Alt lacks refers to the empty string at the end.
  if (Strings.empty() || Strings.back() != 0)
    Strings += '\0';
  DwarfBases Bases;
  Bases.Info = Main["debug_info"].size();
  Bases.Abbrevs = Main["debug_abbrev"].size();
  Bases.Strings = Strings.size();
  Bases.Lines = Main["debug_line"].size();
  bool HasAlt = !Alt["debug_info"].empty();
  if (Error E = plainReferences(Main["debug_info"], Main["debug_abbrev"], Bases,
                                HasAlt))
    return E;
  if (Error E = moveUnits(Alt["debug_info"], Alt["debug_abbrev"], Bases))
    return makeError("the shared file: " + toString(std::move(E)));
  for (StringRef Name :
       {"debug_info", "debug_abbrev", "debug_str", "debug_line"})
    Main[Name] += std::exchange(Alt[Name], "");
  return Error::success();
}

Expected<std::unique_ptr<DWARFContext>>
memkit::joinSharedDwarf(const object::ObjectFile &Main,
                        const object::ObjectFile *Alt, DwarfSections &Joined,
                        std::function<void(Error)> OnError) {
  DwarfSections Shared;
  if (Error E = readDwarfSections(Main, Joined))
    return std::move(E);
  if (Alt)
    if (Error E = readDwarfSections(*Alt, Shared))
      return std::move(E);
  if (Error E = joinSections(Joined, Shared))
    return std::move(E);
  // The context reads the strings, not the buffers.
  StringMap<std::unique_ptr<MemoryBuffer>> Buffers;
  for (auto &Section : Joined)
    Buffers[Section.first()] = MemoryBuffer::getMemBuffer(
        Section.second, Section.first(), /*RequiresNullTerminator=*/false);
  return DWARFContext::create(Buffers, Main.getBytesInAddress(),
                              Main.isLittleEndian(), OnError, OnError);
}
