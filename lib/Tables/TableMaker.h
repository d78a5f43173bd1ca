// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a table of a list of rows.
//
//   TableRef Heaps = TableMaker<HeapReport>()
//       .choice("heap", [](const HeapReport &H) { return H.Name; })
//       .number("live_bytes", [](auto &H) { return H.Stats.LiveBytes; })
//       .make(Rows);
//
// Several outputs show the same rows: pick() chooses their columns of all that
// rows have, so that a column is described once.

#ifndef MEMKIT_LIB_TABLES_TABLEMAKER_H
#define MEMKIT_LIB_TABLES_TABLEMAKER_H

#include "Cells.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <functional>

namespace memkit {

/// The texts of a Choice column, numbered as they come.
class ChoiceList {
public:
  /// The number of Text.
  int32_t of(llvm::StringRef Text);
  std::shared_ptr<const TextList> take();

private:
  llvm::StringMap<int32_t> Known;
  TextList All;
};

/// The values of one column in one batch, row by row.
class ColumnWriter {
public:
  ColumnWriter(ColumnType Type, size_t Rows);
  /// Larger than an int64: the highest int64.
  void number(uint64_t Value) {
    as<int64_t>()[Row++] = int64_t(std::min<uint64_t>(Value, INT64_MAX));
  }
  void integer(int64_t Value) { as<int64_t>()[Row++] = Value; }
  void id(uint32_t Value) { as<uint32_t>()[Row++] = Value; }
  void choice(int32_t Value) { as<int32_t>()[Row++] = Value; }
  void real(double Value) { as<double>()[Row++] = Value; }
  void flag(bool Value);
  void text(llvm::StringRef Value);
  void null();
  /// A value of the column's type, or none; Of: the texts of a Choice column.
  void cell(const TableCell &Value, ChoiceList &Of);
  /// Once, after the last row. Errors: too much text.
  llvm::Expected<ColumnData> take();

private:
  template <class T> T *as() {
    return reinterpret_cast<T *>(Data.Values.get());
  }
  ColumnType Type;
  size_t Rows, Row = 0;
  ColumnData Data;
  TextList Texts;
  bool IsTooLong = false;
};

/// A table in memory. Batches hold the columns of Infos.
TableRef makeTable(std::vector<ColumnInfo> Infos,
                   std::vector<TableBatch> Batches);

/// A column of an output.
struct ColumnPick {
  llvm::StringRef Key{};   ///< the column
  llvm::StringRef Title{}; ///< for people; empty: from the name
  llvm::StringRef Name{};  ///< for programs; empty: Key
  unsigned Style = 0;      ///< ColumnStyle
};

/// The columns of a list `KEY, ...`. An item may have words of style before KEY
/// (`whole`, `kept`, `right`), and behind it ` as NAME` or ` titled TITLE`:
///
///   step, process_id as process, duration_ns titled took, kept rank
///
/// List must live as long.
std::vector<ColumnPick> picksOf(llvm::StringRef List);

template <class RowT> class TableMaker {
public:
  template <class R> using Getter = std::function<R(const RowT &)>;

  TableMaker &number(llvm::StringRef Name, Getter<uint64_t> Get) {
    return add({Name.str(), ColumnType::Int64}, Get);
  }
  /// A number that is a member of the row.
  TableMaker &field(llvm::StringRef Name, uint64_t RowT::*Member) {
    return number(Name, [Member](const RowT &R) { return R.*Member; });
  }
  /// A change, with a sign.
  TableMaker &integer(llvm::StringRef Name, Getter<int64_t> Get) {
    return add({Name.str(), ColumnType::Int64, false, nullptr, "", CS_Signed},
               Get);
  }
  /// A number that may be missing.
  TableMaker &maybe(llvm::StringRef Name, Getter<std::optional<uint64_t>> Get) {
    return addMaybe({Name.str(), ColumnType::Int64, true}, Get);
  }
  TableMaker &id(llvm::StringRef Name, Getter<uint32_t> Get) {
    return add({Name.str(), ColumnType::UInt32},
               [Get](const RowT &R) { return uint64_t(Get(R)); });
  }
  TableMaker &real(llvm::StringRef Name, Getter<std::optional<double>> Get) {
    return addMaybe({Name.str(), ColumnType::Float64, true}, Get);
  }
  TableMaker &flag(llvm::StringRef Name, Getter<bool> Get) {
    return add({Name.str(), ColumnType::Flag}, Get);
  }
  /// An empty text is no value.
  TableMaker &text(llvm::StringRef Name, Getter<std::string> Get) {
    return addText({Name.str(), ColumnType::Text, true}, Get);
  }
  /// A text that may be empty.
  TableMaker &name(llvm::StringRef Name, Getter<std::string> Get) {
    return add({Name.str(), ColumnType::Text}, Get);
  }
  TableMaker &choice(llvm::StringRef Name, Getter<llvm::StringRef> Get) {
    return addText({Name.str(), ColumnType::Choice, true}, Get);
  }
  /// Rows of their own, which only JSON shows.
  TableMaker &list(llvm::StringRef Name, Getter<RowListRef> Get) {
    return add({Name.str(), ColumnType::Text}, Get);
  }

  /// The columns of Picks, in this order. Ends the program for a key without a
  /// column, which is a mistake of the caller.
  TableMaker pick(llvm::ArrayRef<ColumnPick> Picks) const;
  /// As pick(picksOf(List)).
  TableMaker pick(llvm::StringLiteral List) const {
    return pick(picksOf(List));
  }
  /// Errors: more text than a column can hold.
  llvm::Expected<TableRef> make(llvm::ArrayRef<RowT> Rows) const;
  /// The rows for renderers, without a copy of their values.
  RowListRef rows(std::vector<RowT> Rows) const {
    return std::make_shared<MadeRows>(*this, std::move(Rows));
  }

private:
  using CellGetter = std::function<TableCell(const RowT &)>;
  class MadeRows;
  template <class GetterT> TableMaker &add(ColumnInfo Info, GetterT Get) {
    Infos.push_back(std::move(Info));
    Cells.push_back([Get](const RowT &R) { return TableCell(Get(R)); });
    return *this;
  }
  template <class GetterT> TableMaker &addMaybe(ColumnInfo Info, GetterT Get) {
    return add(std::move(Info), [Get](const RowT &R) {
      auto Value = Get(R);
      return Value ? TableCell(*Value) : TableCell();
    });
  }
  template <class GetterT> TableMaker &addText(ColumnInfo Info, GetterT Get) {
    return add(std::move(Info), [Get](const RowT &R) {
      auto Value = Get(R);
      return Value.empty() ? TableCell() : TableCell(std::move(Value));
    });
  }
  std::vector<ColumnInfo> Infos;
  std::vector<CellGetter> Cells;
};

template <class RowT> class TableMaker<RowT>::MadeRows final : public RowList {
public:
  MadeRows(const TableMaker &By, std::vector<RowT> Rows)
      : By(By), Rows(std::move(Rows)) {}
  llvm::ArrayRef<ColumnInfo> columns() const override { return By.Infos; }
  size_t size() const override { return Rows.size(); }
  TableCell cell(size_t Row, size_t Column) const override {
    return By.Cells[Column](Rows[Row]);
  }

private:
  TableMaker By;
  std::vector<RowT> Rows;
};

template <class RowT>
TableMaker<RowT>
TableMaker<RowT>::pick(llvm::ArrayRef<ColumnPick> Picks) const {
  TableMaker Out;
  for (const ColumnPick &P : Picks) {
    size_t At =
        llvm::find_if(Infos,
                      [&](const ColumnInfo &C) { return C.Name == P.Key; }) -
        Infos.begin();
    if (At == Infos.size())
      llvm::report_fatal_error("the rows have no column " + P.Key);
    ColumnInfo &Info = Out.Infos.emplace_back(Infos[At]);
    Info.Title = P.Title;
    Info.Style |= P.Style;
    if (!P.Name.empty())
      Info.Name = P.Name;
    Out.Cells.push_back(Cells[At]);
  }
  return Out;
}

template <class RowT>
llvm::Expected<TableRef>
TableMaker<RowT>::make(llvm::ArrayRef<RowT> Rows) const {
  std::vector<TableBatch> Batches;
  std::vector<ChoiceList> Choices(Infos.size());
  for (; !Rows.empty(); Rows = Rows.drop_front(Batches.back().Rows)) {
    TableBatch &B = Batches.emplace_back();
    B.Rows = std::min(Rows.size(), MaxBatchRows);
    for (size_t C = 0; C != Infos.size(); ++C) {
      ColumnWriter To(Infos[C].Type, B.Rows);
      for (const RowT &R : Rows.take_front(B.Rows))
        To.cell(Cells[C](R), Choices[C]);
      llvm::Expected<ColumnData> Data = To.take();
      if (!Data)
        return Data.takeError();
      B.Columns.push_back(std::move(*Data));
    }
  }
  std::vector<ColumnInfo> Made = Infos;
  for (size_t C = 0; C != Made.size(); ++C)
    if (Made[C].Type == ColumnType::Choice)
      Made[C].Choices = Choices[C].take();
  return makeTable(std::move(Made), std::move(Batches));
}

} // namespace memkit

#endif // MEMKIT_LIB_TABLES_TABLEMAKER_H
