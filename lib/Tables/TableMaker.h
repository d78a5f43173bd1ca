// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a table of a list of rows.
//
//   TableRef Heaps = TableMaker<HeapReport>()
//       .choice("heap", [](const HeapReport &H) { return H.Name; })
//       .number("live_bytes", [](auto &H) { return H.Stats.LiveBytes; })
//       .make(Rows);

#ifndef MEMKIT_LIB_TABLES_TABLEMAKER_H
#define MEMKIT_LIB_TABLES_TABLEMAKER_H

#include "Table.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <functional>

namespace memkit {

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

/// A table in memory. Batches hold the columns of Infos.
TableRef makeTable(std::vector<ColumnInfo> Infos,
                   std::vector<TableBatch> Batches);

template <class RowT> class TableMaker {
public:
  template <class R> using Getter = std::function<R(const RowT &)>;

  TableMaker &number(const char *Name, Getter<uint64_t> Get) {
    return add(Name, ColumnType::Int64, false,
               [Get](const RowT &R, ColumnWriter &To, ChoiceList &) {
                 To.number(Get(R));
               });
  }
  TableMaker &integer(const char *Name, Getter<int64_t> Get) {
    return add(Name, ColumnType::Int64, false,
               [Get](const RowT &R, ColumnWriter &To, ChoiceList &) {
                 To.integer(Get(R));
               });
  }
  /// A number that may be missing.
  TableMaker &maybe(const char *Name, Getter<std::optional<uint64_t>> Get) {
    return add(Name, ColumnType::Int64, true,
               [Get](const RowT &R, ColumnWriter &To, ChoiceList &) {
                 if (std::optional<uint64_t> Value = Get(R))
                   To.number(*Value);
                 else
                   To.null();
               });
  }
  TableMaker &id(const char *Name, Getter<uint32_t> Get) {
    return add(Name, ColumnType::UInt32, false,
               [Get](const RowT &R, ColumnWriter &To, ChoiceList &) {
                 To.id(Get(R));
               });
  }
  TableMaker &real(const char *Name, Getter<std::optional<double>> Get) {
    return add(Name, ColumnType::Float64, true,
               [Get](const RowT &R, ColumnWriter &To, ChoiceList &) {
                 if (std::optional<double> Value = Get(R))
                   To.real(*Value);
                 else
                   To.null();
               });
  }
  TableMaker &flag(const char *Name, Getter<bool> Get) {
    return add(Name, ColumnType::Flag, false,
               [Get](const RowT &R, ColumnWriter &To, ChoiceList &) {
                 To.flag(Get(R));
               });
  }
  /// An empty text is no value.
  TableMaker &text(const char *Name, Getter<std::string> Get) {
    return add(Name, ColumnType::Text, true,
               [Get](const RowT &R, ColumnWriter &To, ChoiceList &) {
                 std::string Value = Get(R);
                 if (Value.empty())
                   To.null();
                 else
                   To.text(Value);
               });
  }
  TableMaker &choice(const char *Name, Getter<llvm::StringRef> Get) {
    return add(Name, ColumnType::Choice, true,
               [Get](const RowT &R, ColumnWriter &To, ChoiceList &Of) {
                 llvm::StringRef Value = Get(R);
                 if (Value.empty())
                   To.null();
                 else
                   To.choice(Of.of(Value));
               });
  }
  /// Errors: more text than a column can hold.
  llvm::Expected<TableRef> make(llvm::ArrayRef<RowT> Rows) const;

private:
  using Writer =
      std::function<void(const RowT &, ColumnWriter &, ChoiceList &)>;
  TableMaker &add(const char *Name, ColumnType Type, bool IsNullable,
                  Writer Write) {
    Infos.push_back({Name, Type, IsNullable, nullptr});
    Writers.push_back(std::move(Write));
    return *this;
  }
  std::vector<ColumnInfo> Infos;
  std::vector<Writer> Writers;
};

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
        Writers[C](R, To, Choices[C]);
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
