// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a table of a list of rows.

#include "TableMaker.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>
#include <tuple>

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

static size_t valueBytes(ColumnType Type, size_t Rows) {
  switch (Type) {
  case ColumnType::Int64:
  case ColumnType::Float64:
    return Rows * 8;
  case ColumnType::UInt32:
  case ColumnType::Choice:
    return Rows * 4;
  case ColumnType::Flag:
    return (Rows + 7) / 8;
  case ColumnType::Text:
    return 0;
  }
  llvm_unreachable("all types are handled");
}

ColumnWriter::ColumnWriter(ColumnType Type, size_t Rows)
    : Type(Type), Rows(Rows) {
  if (size_t Bytes = valueBytes(Type, Rows)) {
    Data.Values = makeBuffer(Bytes);
    std::memset(Data.Values.get(), 0, Bytes);
  }
}

void ColumnWriter::flag(bool Value) {
  Data.Values.get()[Row / 8] |= uint8_t(Value) << Row % 8;
  ++Row;
}

void ColumnWriter::text(StringRef Value) {
  IsTooLong |= !Texts.add(Value);
  ++Row;
}

void ColumnWriter::null() {
  if (!Data.Valid) {
    size_t Bytes = (Rows + 7) / 8;
    Data.Valid = makeBuffer(Bytes);
    std::memset(Data.Valid.get(), 0xff, Bytes);
  }
  Data.Valid.get()[Row / 8] &= ~(1u << Row % 8);
  ++Data.Nulls;
  if (Type == ColumnType::Text)
    Texts.Offsets.push_back(Texts.Offsets.back());
  ++Row;
}

void ColumnWriter::cell(const TableCell &Value, ChoiceList &Of) {
  if (auto *Number = std::get_if<uint64_t>(&Value))
    Type == ColumnType::UInt32 ? id(uint32_t(*Number)) : number(*Number);
  else if (auto *Integer = std::get_if<int64_t>(&Value))
    integer(*Integer);
  else if (auto *Real = std::get_if<double>(&Value))
    real(*Real);
  else if (auto *Flag = std::get_if<bool>(&Value))
    flag(*Flag);
  else if (std::optional<StringRef> Text = textIn(Value))
    Type == ColumnType::Choice ? choice(Of.of(*Text)) : text(*Text);
  else
    null();
}

Expected<ColumnData> ColumnWriter::take() {
  assert(Row == Rows);
  if (IsTooLong)
    return makeError("a column has more than 2 GiB of text in " +
                     Twine(MaxBatchRows) + " rows");
  if (Type == ColumnType::Text) {
    size_t Bytes = Texts.Offsets.size() * sizeof(int32_t);
    Data.Offsets = makeBuffer(Bytes);
    std::memcpy(Data.Offsets.get(), Texts.Offsets.data(), Bytes);
    Data.Values = makeBuffer(Texts.Bytes.size());
    llvm::copy(Texts.Bytes, Data.Values.get());
  }
  return std::move(Data);
}

int32_t ChoiceList::of(StringRef Text) {
  auto [At, New] = Known.try_emplace(Text, int32_t(All.size()));
  if (New && !All.add(Text))
    All.Offsets.push_back(All.Offsets.back()); // beyond 2 GiB: an empty text
  return At->second;
}

std::shared_ptr<const TextList> ChoiceList::take() {
  if (!All.size())
    All.add(""); // missing texts have a number, too: 0
  return std::make_shared<const TextList>(std::move(All));
}

//===----------------------------------------------------------------------===//
// Picks
//===----------------------------------------------------------------------===//

static bool takeStyle(StringRef &Item, unsigned &Style) {
  static constexpr std::pair<StringLiteral, ColumnStyle> Words[] = {
      {"whole ", CS_Whole}, {"kept ", CS_Kept}, {"right ", CS_Right}};
  for (auto [Word, Bit] : Words)
    if (Item.consume_front(Word)) {
      Style |= Bit;
      return true;
    }
  return false;
}

std::vector<ColumnPick> picksOf(StringRef List) {
  std::vector<ColumnPick> Picks;
  while (!List.empty()) {
    auto [Item, Rest] = List.split(", ");
    List = Rest;
    ColumnPick &P = Picks.emplace_back();
    while (takeStyle(Item, P.Style))
      ;
    std::tie(Item, P.Title) = Item.split(" titled ");
    std::tie(P.Key, P.Name) = Item.split(" as ");
  }
  return Picks;
}

//===----------------------------------------------------------------------===//
// In memory
//===----------------------------------------------------------------------===//

namespace {
class MemoryTable : public TypedTable {
public:
  MemoryTable(std::vector<ColumnInfo> Infos, std::vector<TableBatch> B)
      : Batches(std::make_shared<const std::vector<TableBatch>>(std::move(B))) {
    Columns = std::move(Infos);
  }
  std::optional<uint64_t> rows() const override {
    uint64_t Sum = 0;
    for (const TableBatch &B : *Batches)
      Sum += B.Rows;
    return Sum;
  }
  Expected<std::unique_ptr<TableStream>> stream() const override;

private:
  std::shared_ptr<const std::vector<TableBatch>> Batches;
};

class MemoryStream : public TableStream {
public:
  explicit MemoryStream(std::shared_ptr<const std::vector<TableBatch>> B)
      : Batches(std::move(B)) {}
  Expected<std::optional<TableBatch>> next() override {
    if (At == Batches->size())
      return std::nullopt;
    return (*Batches)[At++];
  }

private:
  std::shared_ptr<const std::vector<TableBatch>> Batches;
  size_t At = 0;
};
} // namespace

Expected<std::unique_ptr<TableStream>> MemoryTable::stream() const {
  return std::make_unique<MemoryStream>(Batches);
}

TableRef makeTable(std::vector<ColumnInfo> Infos,
                   std::vector<TableBatch> Batches) {
  return std::make_shared<MemoryTable>(std::move(Infos), std::move(Batches));
}

//===----------------------------------------------------------------------===//
// Where rows come from
//===----------------------------------------------------------------------===//

namespace {
/// A value that all rows have.
struct ConstantColumn {
  ColumnInfo Info;
  ColumnData Data; ///< MaxBatchRows rows
};

class OriginTable : public TypedTable {
public:
  OriginTable(TableRef Of, std::vector<ConstantColumn> C)
      : Of(std::move(Of)),
        Constants(
            std::make_shared<const std::vector<ConstantColumn>>(std::move(C))) {
    for (const ConstantColumn &Column : *Constants)
      Columns.push_back(Column.Info);
    append_range(Columns, this->Of->columns());
  }
  std::optional<uint64_t> rows() const override { return Of->rows(); }
  Expected<std::unique_ptr<TableStream>> stream() const override;

private:
  TableRef Of;
  std::shared_ptr<const std::vector<ConstantColumn>> Constants;
};

class OriginStream : public TableStream {
public:
  OriginStream(std::unique_ptr<TableStream> Of,
               std::shared_ptr<const std::vector<ConstantColumn>> Constants)
      : Of(std::move(Of)), Constants(std::move(Constants)) {}
  Expected<std::optional<TableBatch>> next() override {
    Expected<std::optional<TableBatch>> Next = Of->next();
    if (!Next || !*Next)
      return Next;
    std::vector<ColumnData> All;
    for (const ConstantColumn &C : *Constants) {
      All.push_back(C.Data);
      All.back().Nulls = C.Data.Nulls ? (*Next)->Rows : 0;
    }
    append_range(All, (*Next)->Columns);
    (*Next)->Columns = std::move(All);
    return Next;
  }

private:
  std::unique_ptr<TableStream> Of;
  std::shared_ptr<const std::vector<ConstantColumn>> Constants;
};
} // namespace

Expected<std::unique_ptr<TableStream>> OriginTable::stream() const {
  Expected<std::unique_ptr<TableStream>> Inner = Of->stream();
  if (!Inner)
    return Inner.takeError();
  return std::make_unique<OriginStream>(std::move(*Inner), Constants);
}

static ConstantColumn constant(ColumnInfo Info,
                               function_ref<void(ColumnWriter &)> Write) {
  ColumnWriter To(Info.Type, MaxBatchRows);
  for (size_t Row = 0; Row != MaxBatchRows; ++Row)
    Write(To);
  return {std::move(Info), cantFail(To.take())}; // no text
}

TableRef withOrigin(TableRef Of, StringRef Host, int32_t Rank,
                    uint32_t Process) {
  ChoiceList Hosts;
  int32_t OnlyHost = Hosts.of(Host);
  std::vector<ConstantColumn> Columns;
  Columns.push_back(constant({"host", ColumnType::Choice, false, Hosts.take()},
                             [&](ColumnWriter &To) { To.choice(OnlyHost); }));
  Columns.push_back(constant({"rank", ColumnType::Int64, true, nullptr},
                             [&](ColumnWriter &To) {
                               if (Rank < 0)
                                 To.null();
                               else
                                 To.integer(Rank);
                             }));
  Columns.push_back(constant({"process", ColumnType::UInt32, false, nullptr},
                             [&](ColumnWriter &To) { To.id(Process); }));
  erase_if(Columns, [&](const ConstantColumn &C) {
    return any_of(Of->columns(), [&](const ColumnInfo &Own) {
      return Own.Name == C.Info.Name;
    });
  });
  return std::make_shared<OriginTable>(std::move(Of), std::move(Columns));
}

} // namespace memkit
