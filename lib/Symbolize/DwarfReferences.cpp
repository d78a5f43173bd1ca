// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes references in debug information.

#include "DwarfReferences.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFDataExtractor.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugAbbrev.h"
#include "llvm/DebugInfo/DWARF/DWARFFormValue.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"
#include <set>

using namespace llvm;
using namespace llvm::dwarf;
using namespace memkit;

namespace {

/// Walks the entries of .debug_info.
class EntryWalk {
public:
  /// An attribute's value: the attribute, its form, its offset in the section,
  /// the bytes of an offset (4 or 8).
  struct EntryValue {
    Attribute Attr;
    Form TheForm;
    uint64_t At;
    uint8_t OffsetBytes;
  };
  using ValueCallback = function_ref<Error(const EntryValue &)>;
  /// Called with the place of the offset of the unit's abbreviations.
  using UnitCallback = function_ref<Error(uint64_t At, uint8_t OffsetBytes)>;

  EntryWalk(StringRef Info, StringRef Abbrevs)
      : Data(Info, /*IsLittleEndian=*/true, 8),
        Tables(DataExtractor(Abbrevs, true, 8)) {}
  Error walk(UnitCallback OnUnit, ValueCallback OnValue);

private:
  Error walkUnit(uint64_t &At, UnitCallback OnUnit, ValueCallback OnValue);
  Error walkEntry(DataExtractor::Cursor &C, const FormParams &Params,
                  const DWARFAbbreviationDeclarationSet &Table,
                  ValueCallback OnValue);

  DWARFDataExtractor Data;
  DWARFDebugAbbrev Tables;
};

} // namespace

static Error badEntry(uint64_t At, const Twine &What) {
  return makeError(".debug_info: offset " + Twine(At) + ": " + What);
}

Error EntryWalk::walkEntry(DataExtractor::Cursor &C, const FormParams &Params,
                           const DWARFAbbreviationDeclarationSet &Table,
                           ValueCallback OnValue) {
  uint64_t Begin = C.tell();
  uint64_t Code = Data.getULEB128(C);
  if (!C)
    return C.takeError();
  if (Code == 0)
    return Error::success();
  const DWARFAbbreviationDeclaration *Declared =
      Code > UINT32_MAX ? nullptr
                        : Table.getAbbreviationDeclaration(uint32_t(Code));
  if (!Declared)
    return badEntry(Begin, "no abbreviation " + Twine(Code));
  for (const auto &A : Declared->attributes()) {
    if (A.isImplicitConst())
      continue;
    uint64_t At = C.tell();
    if (Error E = OnValue(
            {A.Attr, A.Form, At, uint8_t(Params.getDwarfOffsetByteSize())}))
      return E;
    // LLVM does not know the size of a reference to another file.
    Form Known = A.Form == DW_FORM_GNU_ref_alt || A.Form == DW_FORM_GNU_strp_alt
                     ? DW_FORM_sec_offset
                     : A.Form;
    if (!DWARFFormValue::skipValue(Known, Data, &At, Params) ||
        At > Data.size())
      return badEntry(At, "the form " + Twine(unsigned(A.Form)) +
                              " is not known, or its value is cut off");
    C.seek(At);
  }
  return Error::success();
}

Error EntryWalk::walkUnit(uint64_t &At, UnitCallback OnUnit,
                          ValueCallback OnValue) {
  uint64_t Begin = At;
  DataExtractor::Cursor C(At);
  auto [Length, Format] = Data.getInitialLength(C);
  uint64_t Body = C.tell();
  FormParams Params = {Data.getU16(C), 0, Format};
  uint8_t OffsetBytes = Params.getDwarfOffsetByteSize();
  uint8_t Type = DW_UT_compile;
  if (Params.Version >= 5) {
    Type = Data.getU8(C);
    Params.AddrSize = Data.getU8(C);
  }
  uint64_t TableAt = C.tell();
  uint64_t Table = Data.getUnsigned(C, OffsetBytes);
  if (Params.Version < 5)
    Params.AddrSize = Data.getU8(C);
  if (Type == DW_UT_skeleton || Type == DW_UT_split_compile)
    C.seek(C.tell() + 8);
  else if (Type == DW_UT_type || Type == DW_UT_split_type)
    C.seek(C.tell() + 8 + OffsetBytes);
  if (!C)
    return C.takeError();
  // Before version 3 a reference has the size of an address.
  if (Params.Version < 3 || Params.Version > 5 || Length > Data.size() - Body)
    return badEntry(Begin, "a unit of version " + Twine(Params.Version) +
                               " with " + Twine(Length) + " bytes");
  if (Error E = OnUnit(TableAt, OffsetBytes))
    return E;
  auto Abbrevs = Tables.getAbbreviationDeclarationSet(Table);
  if (!Abbrevs)
    return Abbrevs.takeError();
  At = Body + Length;
  while (C.tell() < At)
    if (Error E = walkEntry(C, Params, **Abbrevs, OnValue))
      return joinErrors(C.takeError(), std::move(E));
  return C.takeError();
}

Error EntryWalk::walk(UnitCallback OnUnit, ValueCallback OnValue) {
  for (uint64_t At = 0; At < Data.size();)
    if (Error E = walkUnit(At, OnUnit, OnValue))
      return E;
  return Error::success();
}

/// Adds Base to the offset at At.
static Error addBase(std::string &Bytes, uint64_t At, uint8_t Size,
                     uint64_t Base) {
  using namespace support::endian;
  if (At > Bytes.size() || Size > Bytes.size() - At)
    return badEntry(At, "an offset is cut off");
  char *Place = &Bytes[At];
  uint64_t Value = Size == 4 ? read32le(Place) : read64le(Place);
  if (Value > UINT64_MAX - Base || (Size == 4 && Value + Base > UINT32_MAX))
    return badEntry(At, "both files are too large for offsets of 32 bits");
  if (Size == 4)
    write32le(Place, uint32_t(Value + Base));
  else
    write64le(Place, Value + Base);
  return Error::success();
}

static Error setOffset(std::string &Bytes, uint64_t At, uint8_t Size,
                       uint64_t Value) {
  if (At > Bytes.size() || Size > Bytes.size() - At)
    return badEntry(At, "an offset is cut off");
  std::fill_n(Bytes.begin() + long(At), Size, 0);
  return addBase(Bytes, At, Size, Value);
}

/// Replaces the forms of the abbreviations that begin at At.
static Error plainForms(std::string &Abbrevs, uint64_t At) {
  DataExtractor Data(StringRef(Abbrevs), true, 8);
  DataExtractor::Cursor C(At);
  while (C && Data.getULEB128(C)) {
    Data.getULEB128(C); // the tag
    Data.getU8(C);      // whether the entry has children
    for (;;) {
      uint64_t Name = Data.getULEB128(C);
      uint64_t FormAt = C.tell();
      uint64_t Value = Data.getULEB128(C);
      if (!C || (!Name && !Value))
        break;
      if (Value == DW_FORM_implicit_const)
        Data.getSLEB128(C);
      Form Plain = Value == DW_FORM_GNU_ref_alt    ? DW_FORM_ref_addr
                   : Value == DW_FORM_GNU_strp_alt ? DW_FORM_strp
                                                   : Form(0);
      // The same number of bytes.
      if (Plain)
        encodeULEB128(Plain, reinterpret_cast<uint8_t *>(&Abbrevs[FormAt]),
                      unsigned(C.tell() - FormAt));
    }
  }
  return C.takeError();
}

Error memkit::plainReferences(std::string &Info, std::string &Abbrevs,
                              const DwarfBases &Bases, bool HasAlt) {
  std::set<uint64_t> TablesAt;
  auto OnUnit = [&](uint64_t At, uint8_t Size) {
    const char *Place = &Info[At];
    TablesAt.insert(Size == 4 ? support::endian::read32le(Place)
                              : support::endian::read64le(Place));
    return Error::success();
  };
  auto OnValue = [&](const EntryWalk::EntryValue &V) -> Error {
    bool IsString = V.TheForm == DW_FORM_GNU_strp_alt;
    if (!IsString && V.TheForm != DW_FORM_GNU_ref_alt)
      return Error::success();
    if (HasAlt)
      return addBase(Info, V.At, V.OffsetBytes,
                     IsString ? Bases.Strings : Bases.Info);
    return setOffset(Info, V.At, V.OffsetBytes,
                     IsString ? Bases.Strings - 1 : Bases.Info);
  };
  if (Error E = EntryWalk(Info, Abbrevs).walk(OnUnit, OnValue))
    return E;
  for (uint64_t At : TablesAt)
    if (Error E = plainForms(Abbrevs, At))
      return E;
  return Error::success();
}

Error memkit::moveUnits(std::string &Info, const std::string &Abbrevs,
                        const DwarfBases &Bases) {
  auto OnUnit = [&](uint64_t At, uint8_t Size) {
    return addBase(Info, At, Size, Bases.Abbrevs);
  };
  auto OnValue = [&](const EntryWalk::EntryValue &V) -> Error {
    if (V.TheForm == DW_FORM_strp)
      return addBase(Info, V.At, V.OffsetBytes, Bases.Strings);
    if (V.TheForm == DW_FORM_ref_addr)
      return addBase(Info, V.At, V.OffsetBytes, Bases.Info);
    if (V.TheForm == DW_FORM_sec_offset && V.Attr == DW_AT_stmt_list)
      return addBase(Info, V.At, V.OffsetBytes, Bases.Lines);
    return Error::success();
  };
  return EntryWalk(Info, Abbrevs).walk(OnUnit, OnValue);
}
