// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of .eh_frame.

#include "CfaRecord.h"

using namespace memkit;
using namespace memkit::capture;

/// The maximum number of records in a scan: a binary without a search table is
/// rare, and small.
static constexpr unsigned MaxScanned = 1u << 16;

/// The return address's column on x86-64.
static constexpr uint64_t ReturnColumn = 16;

static const uint8_t *bytesAt(uintptr_t Address) {
  return reinterpret_cast<const uint8_t *>(Address);
}

static ByteSpan rest(const DwarfReader &R) {
  return {R.at(), uint32_t(R.left())};
}

namespace {
/// A record without its length.
struct UnwindRecord {
  DwarfReader Content;
  uintptr_t Next; ///< the next record
  uintptr_t IdAt; ///< the address of Id
  uint32_t Id;    ///< 0: a CIE; in an FDE: the distance back to its CIE
};
} // namespace

/// Opens the record at \p Address. A record of no length ends the table; false.
static bool openRecord(const EhFrame &T, uintptr_t Address, UnwindRecord &Out) {
  if (!T.Frames.has(Address))
    return false;
  DwarfReader R(bytesAt(Address), bytesAt(T.Frames.End));
  uint64_t Length = R.u32();
  if (__builtin_expect(Length == 0xffffffff, 0))
    Length = R.u64();
  // Greater lengths do not occur, and would not fit a ByteSpan.
  if (Length < sizeof(uint32_t) || Length > R.left() || Length > INT32_MAX)
    return false;
  Out.IdAt = uintptr_t(R.at());
  Out.Next = Out.IdAt + Length;
  Out.Content = DwarfReader(R.at(), R.at() + Length);
  Out.Id = Out.Content.u32();
  return true;
}

/// Reads the data of the letters in \p Letters.
static bool readAugmentation(DwarfReader &R, const char *Letters,
                             CommonRecord &C) {
  ByteSpan Data = R.block();
  DwarfReader D(Data.Start, Data.Start + Data.Size);
  C.SizedAugmentation = true;
  for (; *Letters; ++Letters)
    switch (*Letters) {
    case 'R':
      C.Pointers = D.byte();
      break;
    case 'P':
      D.pointer(D.byte());
      break;
    case 'L':
      D.byte();
      break;
    case 'S':
      C.SignalFrame = true;
      break;
    default:
      return false;
    }
  return R.ok() && D.ok();
}

static bool readCommon(const EhFrame &T, uintptr_t Address, CommonRecord &C) {
  UnwindRecord Open{{nullptr, nullptr}, 0, 0, 0};
  if (!openRecord(T, Address, Open) || Open.Id != 0)
    return false;
  DwarfReader &R = Open.Content;
  uint8_t Version = R.byte();
  auto *Letters = reinterpret_cast<const char *>(R.at());
  while (R.byte())
    ;
  if (Version == 4 && (R.byte() != 8 || R.byte() != 0))
    return false; // addresses of 8 bytes, no segments
  if (!R.ok() || (Version != 1 && Version != 3 && Version != 4))
    return false;
  C = {};
  C.CodeAlign = R.uleb();
  C.DataAlign = R.sleb();
  uint64_t Column = Version == 1 ? R.byte() : R.uleb();
  if (Column != ReturnColumn)
    return false;
  if (*Letters == 'z' ? !readAugmentation(R, Letters + 1, C) : *Letters != 0)
    return false;
  C.Program = rest(R);
  return R.ok();
}

static bool readOpened(const EhFrame &T, UnwindRecord &Open,
                       FunctionRecord &F) {
  if (Open.Id == 0 || !readCommon(T, Open.IdAt - Open.Id, F.Common))
    return false;
  DwarfReader &R = Open.Content;
  uint8_t Encoding = F.Common.Pointers;
  if (Encoding & ~(PointerEncoding::FormatMask | PointerEncoding::PcRelative))
    return false; // another base, or no pointer
  uint64_t Start = R.pointer(Encoding);
  uint64_t Size = R.pointer(Encoding & PointerEncoding::FormatMask);
  if (F.Common.SizedAugmentation)
    R.skip(R.uleb());
  F.Code = {Start, Start + Size};
  F.Program = rest(R);
  return R.ok();
}

bool capture::readFunction(const EhFrame &T, uintptr_t Address,
                           FunctionRecord &F) {
  UnwindRecord Open{{nullptr, nullptr}, 0, 0, 0};
  return openRecord(T, Address, Open) && readOpened(T, Open, F);
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

namespace {
/// An entry of the header's table; both offsets from the header.
struct SearchEntry {
  int32_t Function;
  int32_t Record;
};
} // namespace

static SearchEntry entryAt(const EhFrame &T, size_t I) {
  SearchEntry E;
  memcpy(&E, bytesAt(T.Table + I * sizeof(E)), sizeof(E));
  return E;
}

/// The index of the entry with the last function start at or before \p Key, in
/// a sorted table.
static size_t searchTable(const EhFrame &T, int64_t Key) {
  size_t First = 0, Count = T.TableSize;
  while (Count > 1) {
    size_t Half = Count / 2;
    First += entryAt(T, First + Half).Function <= Key ? Half : 0;
    Count -= Half;
  }
  return First;
}

/// The same in a table that is not sorted.
static size_t readTable(const EhFrame &T, int64_t Key) {
  size_t Best = 0;
  int64_t BestStart = INT64_MIN;
  for (size_t I = 0; I < T.TableSize; ++I) {
    int64_t Start = entryAt(T, I).Function;
    if (Start > Key || Start < BestStart)
      continue;
    Best = I;
    BestStart = Start;
  }
  return Best;
}

static bool readEntry(const EhFrame &T, size_t I, uintptr_t Pc,
                      FunctionRecord &F) {
  return readFunction(T, T.Header.Start + int64_t(entryAt(T, I).Record), F) &&
         F.Code.has(Pc);
}

static bool scan(const EhFrame &T, uintptr_t Pc, FunctionRecord &F) {
  UnwindRecord Open{{nullptr, nullptr}, 0, 0, 0};
  uintptr_t At = T.FirstRecord;
  for (unsigned I = 0; I < MaxScanned && openRecord(T, At, Open); ++I) {
    At = Open.Next;
    if (Open.Id != 0 && readOpened(T, Open, F) && F.Code.has(Pc))
      return true;
  }
  return false;
}

bool capture::findFunction(const EhFrame &T, uintptr_t Pc, FunctionRecord &F) {
  if (!T.Text.has(Pc))
    return false;
  if (!T.TableSize)
    return T.FirstRecord && scan(T, Pc, F);
  int64_t Key = int64_t(Pc - T.Header.Start);
  if (Key != int32_t(Key))
    return false;
  size_t Found = searchTable(T, Key);
  if (__builtin_expect(readEntry(T, Found, Pc, F), 1))
    return true;
  // Code without a record, which is rare; or an unsorted table.
  size_t Other = readTable(T, Key);
  return Other != Found && readEntry(T, Other, Pc, F);
}
