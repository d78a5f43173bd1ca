// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A binary's unwind tables.

#include "EhFrame.h"
#include "DwarfReader.h"

#include <elf.h>

using namespace memkit;
using namespace memkit::capture;

namespace {
/// The header's fields.
struct HeaderFields {
  uint64_t FirstRecord; ///< 0: not given
  uint64_t Count;       ///< of the table, in pairs; 0: no table
  uintptr_t Table;
};
} // namespace

static bool readFields(AddressRange Header, HeaderFields &F) {
  DwarfReader R(reinterpret_cast<const uint8_t *>(Header.Start),
                reinterpret_cast<const uint8_t *>(Header.End));
  uint8_t Version = R.byte(), RecordsAs = R.byte(), CountAs = R.byte(),
          TableAs = R.byte();
  if (Version != 1 || (RecordsAs != PointerEncoding::Omitted &&
                       (RecordsAs & PointerEncoding::Indirect)))
    return false;
  F.FirstRecord = R.pointer(RecordsAs, Header.Start);
  if (!R.ok())
    return false;
  F.Count = R.pointer(CountAs, Header.Start);
  F.Table = uintptr_t(R.at());
  // Every linker writes this encoding. A truncated table is not used.
  constexpr uint8_t Known =
      PointerEncoding::DataRelative | PointerEncoding::Sdata4;
  if (!R.ok() || TableAs != Known || F.Count > UINT32_MAX ||
      F.Count > R.left() / 8)
    F.Count = 0;
  return true;
}

bool capture::readEhFrame(AddressRange Header, AddressRange Frames,
                          AddressRange Text, EhFrame &T) {
  T = {};
  HeaderFields F;
  if (Header.Start >= Header.End || !readFields(Header, F))
    return false;
  T.Text = Text;
  T.Header = Header;
  T.Frames = Frames;
  T.Table = F.Table;
  T.TableSize = uint32_t(F.Count);
  T.FirstRecord = Frames.has(F.FirstRecord) ? F.FirstRecord : 0;
  return T.usable();
}

//===----------------------------------------------------------------------===//
// In a loaded binary
//===----------------------------------------------------------------------===//

/// The part of a segment that is in the file.
static AddressRange rangeOf(const Elf64_Phdr &P, uintptr_t Bias) {
  return {Bias + P.p_vaddr, Bias + P.p_vaddr + P.p_filesz};
}

static AddressRange segmentOf(const Elf64_Phdr *Headers, size_t Count,
                              uintptr_t Bias, uintptr_t Address) {
  for (size_t I = 0; I < Count; ++I)
    if (Headers[I].p_type == PT_LOAD && (Headers[I].p_flags & PF_R) &&
        rangeOf(Headers[I], Bias).has(Address))
      return rangeOf(Headers[I], Bias);
  return {};
}

/// The range from the first code to the last.
static AddressRange textOf(const Elf64_Phdr *Headers, size_t Count,
                           uintptr_t Bias) {
  AddressRange Text;
  for (size_t I = 0; I < Count; ++I) {
    AddressRange R = rangeOf(Headers[I], Bias);
    if (Headers[I].p_type != PT_LOAD || !(Headers[I].p_flags & PF_X) ||
        R.Start >= R.End)
      continue;
    if (Text.Start == Text.End)
      Text = R;
    Text.Start = R.Start < Text.Start ? R.Start : Text.Start;
    Text.End = R.End > Text.End ? R.End : Text.End;
  }
  return Text;
}

bool capture::findEhFrame(const void *ProgramHeaders, size_t Count,
                          uintptr_t Bias, EhFrame &T) {
  T = {};
  auto *Headers = static_cast<const Elf64_Phdr *>(ProgramHeaders);
  AddressRange Header;
  for (size_t I = 0; I < Count; ++I)
    if (Headers[I].p_type == PT_GNU_EH_FRAME)
      Header = rangeOf(Headers[I], Bias);
  AddressRange Segment = segmentOf(Headers, Count, Bias, Header.Start);
  HeaderFields F;
  if (Header.Start >= Header.End || !Segment.has(Header.End - 1) ||
      !readFields(Header, F))
    return false;
  // Nearly always the same segment.
  if (F.FirstRecord && !Segment.has(F.FirstRecord))
    Segment = segmentOf(Headers, Count, Bias, F.FirstRecord);
  return readEhFrame(Header, Segment, textOf(Headers, Count, Bias), T);
}

bool capture::findEhFrame(const void *ProgramHeaders, size_t Count,
                          uintptr_t Bias, AddressRange Section, EhFrame &T) {
  T = {};
  auto *Headers = static_cast<const Elf64_Phdr *>(ProgramHeaders);
  AddressRange Segment = segmentOf(Headers, Count, Bias, Section.Start);
  if (Section.Start >= Section.End || !Segment.has(Section.End - 1))
    return false;
  T.Text = textOf(Headers, Count, Bias);
  T.Frames = Section;
  T.FirstRecord = Section.Start;
  return true;
}
