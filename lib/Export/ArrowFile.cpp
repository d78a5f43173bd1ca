// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables as Arrow IPC files.

#include "ArrowFile.h"
#include "Trace/Frames.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <flatbuffers/flatbuffers.h>

using namespace llvm;

namespace memkit {

namespace {

using flatbuffers::FlatBufferBuilder;
template <class T> using Ref = flatbuffers::Offset<T>;

// Tables and enums of Arrow's Schema.fbs, Message.fbs and File.fbs. Only their
// numbers matter here: the number of a table's field gives its place.
struct ArrowTable {};
using TableOffset = Ref<ArrowTable>;
constexpr flatbuffers::voffset_t field(unsigned Number) {
  return flatbuffers::voffset_t(4 + 2 * Number);
}
constexpr int16_t Version5 = 4;
enum HeaderType : uint8_t { HT_Schema = 1, HT_Dictionary = 2, HT_Batch = 3 };
enum TypeType : uint8_t { TT_Int = 2, TT_Float = 3, TT_Utf8 = 5, TT_Bool = 6 };

FLATBUFFERS_MANUALLY_ALIGNED_STRUCT(8) FieldNode { int64_t Length, NullCount; };
FLATBUFFERS_STRUCT_END(FieldNode, 16);
FLATBUFFERS_MANUALLY_ALIGNED_STRUCT(8) BufferPlace { int64_t Offset, Length; };
FLATBUFFERS_STRUCT_END(BufferPlace, 16);
FLATBUFFERS_MANUALLY_ALIGNED_STRUCT(8) BlockPlace {
  int64_t Offset;
  int32_t MetaDataLength, Padding;
  int64_t BodyLength;
};
FLATBUFFERS_STRUCT_END(BlockPlace, 24);

/// The buffers of a batch, and where they lie in the message's body.
struct BatchBody {
  std::string Bytes;
  std::vector<FieldNode> Nodes;
  std::vector<BufferPlace> Buffers;
};

class ArrowFileWriter {
public:
  ArrowFileWriter(raw_ostream &OS, const TypedTable &T) : OS(OS), T(T) {}
  Error run(ArrayRef<std::pair<std::string, std::string>> Facts,
            function_ref<bool()> Failed);

private:
  void put(StringRef Bytes) {
    OS << Bytes;
    Offset += Bytes.size();
  }
  void pad() { put(StringRef("\0\0\0\0\0\0\0", alignTo(Offset, 8) - Offset)); }
  TableOffset typeOf(FlatBufferBuilder &B, ColumnType Type, TypeType &Kind);
  TableOffset intType(FlatBufferBuilder &B, int32_t Bits, bool IsSigned);
  TableOffset columnOf(FlatBufferBuilder &B, size_t Number);
  TableOffset schema(FlatBufferBuilder &B,
                     ArrayRef<std::pair<std::string, std::string>> Facts);
  void addBuffer(BatchBody &To, const void *Bytes, size_t Size);
  void addColumn(BatchBody &To, const ColumnInfo &Info, const ColumnData &Data,
                 size_t Rows);
  TableOffset batchOf(FlatBufferBuilder &B, const BatchBody &Body, size_t Rows);
  BlockPlace putMessage(FlatBufferBuilder &B, HeaderType Kind,
                        TableOffset Header, StringRef Body);
  void putDictionaries();
  void putBatch(const TableBatch &Batch);
  void putFooter(ArrayRef<std::pair<std::string, std::string>> Facts);

  raw_ostream &OS;
  const TypedTable &T;
  uint64_t Offset = 0;
  std::vector<BlockPlace> Dictionaries, Batches;
  FrameCompressor Compressor;
};

} // namespace

//===----------------------------------------------------------------------===//
// The schema
//===----------------------------------------------------------------------===//

TableOffset ArrowFileWriter::intType(FlatBufferBuilder &B, int32_t Bits,
                                     bool IsSigned) {
  auto Start = B.StartTable();
  B.AddElement<int32_t>(field(0), Bits, 0);
  B.AddElement<uint8_t>(field(1), IsSigned, 0);
  return TableOffset(B.EndTable(Start));
}

TableOffset ArrowFileWriter::typeOf(FlatBufferBuilder &B, ColumnType Type,
                                    TypeType &Kind) {
  if (Type == ColumnType::Int64 || Type == ColumnType::UInt32) {
    Kind = TT_Int;
    bool IsLong = Type == ColumnType::Int64;
    return intType(B, IsLong ? 64 : 32, IsLong);
  }
  Kind = Type == ColumnType::Float64 ? TT_Float
         : Type == ColumnType::Flag  ? TT_Bool
                                     : TT_Utf8;
  auto Start = B.StartTable();
  if (Kind == TT_Float)
    B.AddElement<int16_t>(field(0), 2, 0); // double
  return TableOffset(B.EndTable(Start));
}

/// A Field. The dictionary of a column has the column's number.
TableOffset ArrowFileWriter::columnOf(FlatBufferBuilder &B, size_t Number) {
  const ColumnInfo &C = T.columns()[Number];
  auto Name = B.CreateString(C.Name);
  TypeType Kind;
  TableOffset Type = typeOf(B, C.Type, Kind), Dictionary;
  if (C.Type == ColumnType::Choice) {
    TableOffset Index = intType(B, 32, true);
    auto Start = B.StartTable();
    B.AddElement<int64_t>(field(0), int64_t(Number), 0);
    B.AddOffset(field(1), Index);
    Dictionary = TableOffset(B.EndTable(Start));
  }
  auto Children = B.CreateVector(std::vector<TableOffset>());
  auto Start = B.StartTable();
  B.AddOffset(field(0), Name);
  B.AddElement<uint8_t>(field(1), C.IsNullable, 0);
  B.AddElement<uint8_t>(field(2), Kind, 0);
  B.AddOffset(field(3), Type);
  B.AddOffset(field(4), Dictionary);
  B.AddOffset(field(5), Children);
  return TableOffset(B.EndTable(Start));
}

TableOffset
ArrowFileWriter::schema(FlatBufferBuilder &B,
                        ArrayRef<std::pair<std::string, std::string>> Facts) {
  std::vector<TableOffset> Columns, Pairs;
  for (size_t C = 0; C != T.columns().size(); ++C)
    Columns.push_back(columnOf(B, C));
  for (const auto &[Key, Value] : Facts) {
    auto K = B.CreateString(Key), V = B.CreateString(Value);
    auto Start = B.StartTable();
    B.AddOffset(field(0), K);
    B.AddOffset(field(1), V);
    Pairs.push_back(TableOffset(B.EndTable(Start)));
  }
  auto Fields = B.CreateVector(Columns);
  auto Metadata = B.CreateVector(Pairs);
  auto Start = B.StartTable();
  B.AddOffset(field(1), Fields);
  B.AddOffset(field(2), Metadata);
  return TableOffset(B.EndTable(Start));
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

void ArrowFileWriter::addBuffer(BatchBody &To, const void *Bytes, size_t Size) {
  size_t Begin = To.Bytes.size();
  if (Size) {
    char Length[8];
    support::endian::write64le(Length, Size);
    To.Bytes.append(Length, 8);
    SmallVector<char, 0> Packed;
    Compressor.compress(ArrayRef(static_cast<const uint8_t *>(Bytes), Size), {},
                        Packed);
    To.Bytes.append(Packed.begin(), Packed.end());
  }
  To.Buffers.push_back({int64_t(Begin), int64_t(To.Bytes.size() - Begin)});
  To.Bytes.resize(alignTo(To.Bytes.size(), 8));
}

void ArrowFileWriter::addColumn(BatchBody &To, const ColumnInfo &Info,
                                const ColumnData &Data, size_t Rows) {
  To.Nodes.push_back({int64_t(Rows), int64_t(Data.Nulls)});
  addBuffer(To, Data.Valid.get(), Data.Nulls ? (Rows + 7) / 8 : 0);
  switch (Info.Type) {
  case ColumnType::Int64:
  case ColumnType::Float64:
    return addBuffer(To, Data.Values.get(), Rows * 8);
  case ColumnType::UInt32:
  case ColumnType::Choice:
    return addBuffer(To, Data.Values.get(), Rows * 4);
  case ColumnType::Flag:
    return addBuffer(To, Data.Values.get(), (Rows + 7) / 8);
  case ColumnType::Text:
    break;
  }
  auto *Ends = reinterpret_cast<const int32_t *>(Data.Offsets.get());
  addBuffer(To, Ends, (Rows + 1) * 4);
  addBuffer(To, Data.Values.get(), size_t(Ends[Rows]));
}

TableOffset ArrowFileWriter::batchOf(FlatBufferBuilder &B,
                                     const BatchBody &Body, size_t Rows) {
  auto Nodes = B.CreateVectorOfStructs(Body.Nodes);
  auto Buffers = B.CreateVectorOfStructs(Body.Buffers);
  auto Start = B.StartTable();
  B.AddElement<int8_t>(field(0), 1, 0); // zstd
  TableOffset Compression(B.EndTable(Start));
  Start = B.StartTable();
  B.AddElement<int64_t>(field(0), int64_t(Rows), 0);
  B.AddOffset(field(1), Nodes);
  B.AddOffset(field(2), Buffers);
  B.AddOffset(field(3), Compression);
  return TableOffset(B.EndTable(Start));
}

/// Writes a message: its length, its metadata, its body.
BlockPlace ArrowFileWriter::putMessage(FlatBufferBuilder &B, HeaderType Kind,
                                       TableOffset Header, StringRef Body) {
  auto Start = B.StartTable();
  B.AddElement<int16_t>(field(0), Version5, 0);
  B.AddElement<uint8_t>(field(1), Kind, 0);
  B.AddOffset(field(2), Header);
  B.AddElement<int64_t>(field(3), int64_t(Body.size()), 0);
  B.Finish(TableOffset(B.EndTable(Start)));
  BlockPlace Place = {int64_t(Offset), 0, 0, int64_t(Body.size())};
  size_t Size = alignTo(B.GetSize(), 8);
  char Head[8];
  support::endian::write32le(Head, 0xFFFFFFFF);
  support::endian::write32le(Head + 4, uint32_t(Size));
  put(StringRef(Head, 8));
  put(toStringRef(ArrayRef(B.GetBufferPointer(), B.GetSize())));
  pad();
  Place.MetaDataLength = int32_t(Size + 8);
  put(Body);
  return Place;
}

void ArrowFileWriter::putDictionaries() {
  for (size_t C = 0; C != T.columns().size(); ++C) {
    const ColumnInfo &Info = T.columns()[C];
    if (Info.Type != ColumnType::Choice)
      continue;
    const TextList &Texts = *Info.Choices;
    BatchBody Body;
    Body.Nodes.push_back({int64_t(Texts.size()), 0});
    addBuffer(Body, nullptr, 0);
    addBuffer(Body, Texts.Offsets.data(), Texts.Offsets.size() * 4);
    addBuffer(Body, Texts.Bytes.data(), Texts.Bytes.size());
    FlatBufferBuilder B;
    TableOffset Batch = batchOf(B, Body, Texts.size());
    auto Start = B.StartTable();
    B.AddElement<int64_t>(field(0), int64_t(C), 0);
    B.AddOffset(field(1), Batch);
    TableOffset Dictionary(B.EndTable(Start));
    Dictionaries.push_back(
        putMessage(B, HT_Dictionary, Dictionary, Body.Bytes));
  }
}

void ArrowFileWriter::putBatch(const TableBatch &Batch) {
  BatchBody Body;
  for (size_t C = 0; C != T.columns().size(); ++C)
    addColumn(Body, T.columns()[C], Batch.Columns[C], Batch.Rows);
  FlatBufferBuilder B;
  TableOffset Header = batchOf(B, Body, Batch.Rows);
  Batches.push_back(putMessage(B, HT_Batch, Header, Body.Bytes));
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

void ArrowFileWriter::putFooter(
    ArrayRef<std::pair<std::string, std::string>> Facts) {
  char End[8];
  support::endian::write64le(End, 0xFFFFFFFF); // the stream's end
  put(StringRef(End, 8));
  FlatBufferBuilder B;
  TableOffset Schema = schema(B, Facts);
  auto OfDictionaries = B.CreateVectorOfStructs(Dictionaries);
  auto OfBatches = B.CreateVectorOfStructs(Batches);
  auto Start = B.StartTable();
  B.AddElement<int16_t>(field(0), Version5, 0);
  B.AddOffset(field(1), Schema);
  B.AddOffset(field(2), OfDictionaries);
  B.AddOffset(field(3), OfBatches);
  B.Finish(TableOffset(B.EndTable(Start)));
  put(toStringRef(ArrayRef(B.GetBufferPointer(), B.GetSize())));
  support::endian::write32le(End, B.GetSize());
  put(StringRef(End, 4));
}

Error ArrowFileWriter::run(ArrayRef<std::pair<std::string, std::string>> Facts,
                           function_ref<bool()> Failed) {
  put(StringRef("ARROW1\0\0", 8));
  {
    FlatBufferBuilder B;
    TableOffset Schema = schema(B, Facts);
    putMessage(B, HT_Schema, Schema, "");
  }
  putDictionaries();
  if (Error E = forEachBatch(T, Failed,
                             [&](const TableBatch &Batch) { putBatch(Batch); }))
    return E;
  putFooter(Facts);
  put("ARROW1");
  return Error::success();
}

Error writeArrowFile(raw_ostream &OS, const TypedTable &T,
                     ArrayRef<std::pair<std::string, std::string>> Facts,
                     function_ref<bool()> Failed) {
  return ArrowFileWriter(OS, T).run(Facts, Failed);
}

} // namespace memkit
