// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables as Parquet files.

#include "Parquet.h"
#include "ThriftWriter.h"
#include "Trace/Frames.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <bit>
#include <cstring>

using namespace llvm;

namespace memkit {

namespace {

// Values of parquet.thrift.
enum PhysicalType {
  PT_Boolean = 0,
  PT_Int32 = 1,
  PT_Int64 = 2,
  PT_Double = 5,
  PT_Bytes = 6
};
enum PageEncoding { PE_Plain = 0, PE_Rle = 3, PE_RleDictionary = 8 };
enum PageKind { PK_Data = 0, PK_Dictionary = 2 };
constexpr int32_t Zstd = 6, Utf8 = 0, UInt32Converted = 13;

/// Rows of a group of rows: readers hold a group in memory, and skip groups.
constexpr size_t GroupRows = size_t(1) << 20;

/// A column of the group of rows that is being gathered.
struct ColumnChunk {
  std::string Pages;            ///< as they go to the file
  uint64_t DictionaryBytes = 0; ///< of Pages; 0: no dictionary
  uint64_t RawBytes = 0;        ///< of Pages, uncompressed
  uint64_t Nulls = 0;
  int64_t Min = INT64_MAX, Max = INT64_MIN; ///< of an Int64
};

/// What the end of the file says of a column in a group.
struct ChunkPlace {
  uint64_t Offset = 0, Bytes = 0;
  ColumnChunk Facts; ///< without Pages
};
struct RowGroup {
  uint64_t Rows = 0;
  std::vector<ChunkPlace> Chunks;
};

class ParquetWriter {
public:
  ParquetWriter(raw_ostream &OS, const TypedTable &T)
      : OS(OS), T(T), Chunks(T.columns().size()) {}
  Error run(ArrayRef<std::pair<std::string, std::string>> Facts,
            function_ref<bool()> Failed);

private:
  void put(StringRef Bytes) {
    OS << Bytes;
    Offset += Bytes.size();
  }
  void addBatch(const TableBatch &B);
  void addPage(ColumnChunk &To, PageKind Kind, size_t Values,
               PageEncoding Encoding, StringRef Raw);
  void addDictionary(const ColumnInfo &Info, ColumnChunk &To);
  void endGroup();
  void putFooter(ArrayRef<std::pair<std::string, std::string>> Facts);
  void schemaElement(ThriftWriter &W, const ColumnInfo &Info);
  void chunkFacts(ThriftWriter &W, const ColumnInfo &Info, uint64_t Rows,
                  const ChunkPlace &P);

  raw_ostream &OS;
  const TypedTable &T;
  uint64_t Offset = 0; ///< in the file
  uint64_t AllRows = 0;
  size_t Rows = 0; ///< of the group
  std::vector<ColumnChunk> Chunks;
  std::vector<RowGroup> Groups;
  FrameCompressor Compressor;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static PhysicalType physicalType(ColumnType Type) {
  switch (Type) {
  case ColumnType::Int64:
    return PT_Int64;
  case ColumnType::UInt32:
    return PT_Int32;
  case ColumnType::Float64:
    return PT_Double;
  case ColumnType::Flag:
    return PT_Boolean;
  case ColumnType::Text:
  case ColumnType::Choice:
    return PT_Bytes;
  }
  llvm_unreachable("all types are handled");
}

static void put32(std::string &To, uint32_t Value) {
  char Bytes[4];
  support::endian::write32le(Bytes, Value);
  To.append(Bytes, 4);
}

static void putVarint(std::string &To, uint64_t Value) {
  for (; Value >= 0x80; Value >>= 7)
    To.push_back(char(Value | 0x80));
  To.push_back(char(Value));
}

static bool isValid(const ColumnData &Data, size_t Row) {
  return !Data.Valid || (Data.Valid.get()[Row / 8] >> Row % 8 & 1);
}

/// Which rows have a value, as definition levels: a bit for each row.
static void putLevels(std::string &To, const ColumnData &Data, size_t Rows) {
  std::string Levels;
  if (Data.Nulls == 0) {
    putVarint(Levels, Rows << 1); // a run of ones
    Levels.push_back(1);
  } else {
    size_t Bytes = (Rows + 7) / 8;
    putVarint(Levels, Bytes << 1 | 1); // bits as they are
    Levels.append(reinterpret_cast<const char *>(Data.Valid.get()), Bytes);
  }
  put32(To, uint32_t(Levels.size()));
  To += Levels;
}

/// Numbers of a dictionary of Count texts, packed in as many bits as needed.
static void putNumbers(std::string &To, ArrayRef<uint32_t> Numbers,
                       size_t Count) {
  unsigned Bits = Count > 1 ? std::bit_width(Count - 1) : 1;
  To.push_back(char(Bits));
  putVarint(To, (Numbers.size() + 7) / 8 << 1 | 1);
  uint64_t Pending = 0;
  unsigned Have = 0;
  size_t Padded = (Numbers.size() + 7) / 8 * 8;
  for (size_t I = 0; I != Padded; ++I) {
    Pending |= uint64_t(I < Numbers.size() ? Numbers[I] : 0) << Have;
    for (Have += Bits; Have >= 8; Have -= 8, Pending >>= 8)
      To.push_back(char(Pending));
  }
}

static void putText(std::string &To, StringRef Text) {
  put32(To, uint32_t(Text.size()));
  To += Text;
}

/// The values of rows that have one. Value: their size in bytes.
static void putFixed(std::string &To, const ColumnData &Data, size_t Rows,
                     size_t Value) {
  auto *From = reinterpret_cast<const char *>(Data.Values.get());
  if (Data.Nulls == 0) {
    To.append(From, Rows * Value);
    return;
  }
  for (size_t Row = 0; Row != Rows; ++Row)
    if (isValid(Data, Row))
      To.append(From + Row * Value, Value);
}

static void putChoices(std::string &To, const ColumnInfo &Info,
                       const ColumnData &Data, size_t Rows) {
  std::vector<uint32_t> Numbers;
  Numbers.reserve(Rows);
  auto *From = reinterpret_cast<const uint32_t *>(Data.Values.get());
  for (size_t Row = 0; Row != Rows; ++Row)
    if (isValid(Data, Row))
      Numbers.push_back(From[Row]);
  putNumbers(To, Numbers, Info.Choices->size());
}

static void putTexts(std::string &To, const ColumnData &Data, size_t Rows) {
  auto *Ends = reinterpret_cast<const int32_t *>(Data.Offsets.get());
  auto *Text = reinterpret_cast<const char *>(Data.Values.get());
  for (size_t Row = 0; Row != Rows; ++Row)
    if (isValid(Data, Row))
      putText(To,
              StringRef(Text + Ends[Row], size_t(Ends[Row + 1] - Ends[Row])));
}

static void putFlags(std::string &To, const ColumnData &Data, size_t Rows) {
  std::string Bits;
  size_t Count = 0;
  for (size_t Row = 0; Row != Rows; ++Row) {
    if (!isValid(Data, Row))
      continue;
    if (Count % 8 == 0)
      Bits.push_back(0);
    Bits.back() |= (Data.Values.get()[Row / 8] >> Row % 8 & 1) << Count++ % 8;
  }
  To += Bits;
}

static std::string encodeValues(const ColumnInfo &Info, const ColumnData &Data,
                                size_t Rows) {
  std::string Raw;
  if (Info.IsNullable)
    putLevels(Raw, Data, Rows);
  switch (Info.Type) {
  case ColumnType::Int64:
  case ColumnType::Float64:
    putFixed(Raw, Data, Rows, 8);
    break;
  case ColumnType::UInt32:
    putFixed(Raw, Data, Rows, 4);
    break;
  case ColumnType::Flag:
    putFlags(Raw, Data, Rows);
    break;
  case ColumnType::Text:
    putTexts(Raw, Data, Rows);
    break;
  case ColumnType::Choice:
    putChoices(Raw, Info, Data, Rows);
    break;
  }
  return Raw;
}

//===----------------------------------------------------------------------===//
// Pages and groups
//===----------------------------------------------------------------------===//

void ParquetWriter::addPage(ColumnChunk &To, PageKind Kind, size_t Values,
                            PageEncoding Encoding, StringRef Raw) {
  SmallVector<char, 0> Packed;
  Compressor.compress(arrayRefFromStringRef(Raw), {}, Packed);
  ThriftWriter W;
  std::string Head = W.take([&] {
    W.int32(1, Kind);
    W.int32(2, int32_t(Raw.size()));
    W.int32(3, int32_t(Packed.size()));
    W.record(Kind == PK_Data ? 5 : 7, [&] {
      W.int32(1, int32_t(Values));
      W.int32(2, Encoding);
      if (Kind == PK_Data) {
        W.int32(3, PE_Rle); // levels
        W.int32(4, PE_Rle);
      }
    });
  });
  To.Pages += Head;
  To.Pages.append(Packed.begin(), Packed.end());
  To.RawBytes += Head.size() + Raw.size();
}

void ParquetWriter::addDictionary(const ColumnInfo &Info, ColumnChunk &To) {
  std::string Raw;
  for (size_t I = 0; I != Info.Choices->size(); ++I)
    putText(Raw, (*Info.Choices)[I]);
  addPage(To, PK_Dictionary, Info.Choices->size(), PE_Plain, Raw);
  To.DictionaryBytes = To.Pages.size();
}

/// Adds the values of an Int64 to the chunk's range.
static void addRange(ColumnChunk &To, const ColumnData &Data, size_t Rows) {
  auto *Values = reinterpret_cast<const int64_t *>(Data.Values.get());
  for (size_t Row = 0; Row != Rows; ++Row)
    if (isValid(Data, Row)) {
      To.Min = std::min(To.Min, Values[Row]);
      To.Max = std::max(To.Max, Values[Row]);
    }
}

void ParquetWriter::addBatch(const TableBatch &B) {
  for (size_t C = 0; C != Chunks.size(); ++C) {
    const ColumnInfo &Info = T.columns()[C];
    ColumnChunk &To = Chunks[C];
    bool IsChoice = Info.Type == ColumnType::Choice;
    if (IsChoice && To.Pages.empty())
      addDictionary(Info, To);
    addPage(To, PK_Data, B.Rows, IsChoice ? PE_RleDictionary : PE_Plain,
            encodeValues(Info, B.Columns[C], B.Rows));
    To.Nulls += B.Columns[C].Nulls;
    if (Info.Type == ColumnType::Int64)
      addRange(To, B.Columns[C], B.Rows);
  }
  Rows += B.Rows;
}

void ParquetWriter::endGroup() {
  RowGroup &G = Groups.emplace_back();
  G.Rows = Rows;
  for (ColumnChunk &C : Chunks) {
    G.Chunks.push_back({Offset, C.Pages.size(), {}});
    put(C.Pages);
    C.Pages.clear();
    G.Chunks.back().Facts = std::exchange(C, ColumnChunk());
  }
  AllRows += std::exchange(Rows, 0);
}

//===----------------------------------------------------------------------===//
// The end of the file
//===----------------------------------------------------------------------===//

void ParquetWriter::schemaElement(ThriftWriter &W, const ColumnInfo &Info) {
  bool IsText = physicalType(Info.Type) == PT_Bytes;
  bool IsUnsigned = Info.Type == ColumnType::UInt32;
  W.int32(1, physicalType(Info.Type));
  W.int32(3, Info.IsNullable); // optional
  W.text(4, Info.Name);
  if (IsText || IsUnsigned) {
    W.int32(6, IsText ? Utf8 : UInt32Converted);
    W.record(10, [&] {
      W.record(IsText ? 1 : 10, [&] {
        if (IsText)
          return;
        W.byte(1, 32);
        W.flag(2, false); // signed
      });
    });
  }
}

void ParquetWriter::chunkFacts(ThriftWriter &W, const ColumnInfo &Info,
                               uint64_t GroupRows, const ChunkPlace &P) {
  W.int64(2, int64_t(P.Offset));
  W.record(3, [&] {
    W.int32(1, physicalType(Info.Type));
    W.integers(2, Info.Type == ColumnType::Choice
                      ? ArrayRef<int32_t>({PE_Plain, PE_Rle, PE_RleDictionary})
                      : ArrayRef<int32_t>({PE_Plain, PE_Rle}));
    W.texts(3, Info.Name);
    W.int32(4, Zstd);
    W.int64(5, int64_t(GroupRows));
    W.int64(6, int64_t(P.Facts.RawBytes));
    W.int64(7, int64_t(P.Bytes));
    W.int64(9, int64_t(P.Offset + P.Facts.DictionaryBytes));
    if (P.Facts.DictionaryBytes)
      W.int64(11, int64_t(P.Offset));
    W.record(12, [&] {
      W.int64(3, int64_t(P.Facts.Nulls));
      if (P.Facts.Min > P.Facts.Max)
        return;
      char Bytes[8];
      support::endian::write64le(Bytes, uint64_t(P.Facts.Max));
      W.text(5, StringRef(Bytes, 8));
      support::endian::write64le(Bytes, uint64_t(P.Facts.Min));
      W.text(6, StringRef(Bytes, 8));
    });
  });
}

void ParquetWriter::putFooter(
    ArrayRef<std::pair<std::string, std::string>> Facts) {
  ArrayRef<ColumnInfo> Columns = T.columns();
  ThriftWriter W;
  std::string Footer = W.take([&] {
    W.int32(1, 1); // version
    W.records(2, Columns.size() + 1, [&](size_t I) {
      if (I)
        return schemaElement(W, Columns[I - 1]);
      W.text(4, "schema");
      W.int32(5, int32_t(Columns.size()));
    });
    W.int64(3, int64_t(AllRows));
    W.records(4, Groups.size(), [&](size_t G) {
      const RowGroup &Of = Groups[G];
      uint64_t Raw = 0;
      for (const ChunkPlace &P : Of.Chunks)
        Raw += P.Facts.RawBytes;
      W.records(1, Columns.size(), [&](size_t C) {
        chunkFacts(W, Columns[C], Of.Rows, Of.Chunks[C]);
      });
      W.int64(2, int64_t(Raw));
      W.int64(3, int64_t(Of.Rows));
    });
    W.records(5, Facts.size(), [&](size_t I) {
      W.text(1, Facts[I].first);
      W.text(2, Facts[I].second);
    });
    W.text(6, "memkit version " MEMKIT_VERSION);
    W.records(7, Columns.size(), [&](size_t) { W.record(1, [] {}); });
  });
  put(Footer);
  std::string Size;
  put32(Size, uint32_t(Footer.size()));
  put(Size);
}

Error ParquetWriter::run(ArrayRef<std::pair<std::string, std::string>> Facts,
                         function_ref<bool()> Failed) {
  put("PAR1");
  Error E = forEachBatch(T, Failed, [&](const TableBatch &Batch) {
    addBatch(Batch);
    if (Rows >= GroupRows)
      endGroup();
  });
  if (E)
    return E;
  if (Rows)
    endGroup();
  putFooter(Facts);
  put("PAR1");
  return Error::success();
}

Error writeParquet(raw_ostream &OS, const TypedTable &T,
                   ArrayRef<std::pair<std::string, std::string>> Facts,
                   function_ref<bool()> Failed) {
  return ParquetWriter(OS, T).run(Facts, Failed);
}

} // namespace memkit
