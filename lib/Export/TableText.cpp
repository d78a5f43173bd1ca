// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables as text: for people, Markdown, CSV, JSON.

#include "TableText.h"
#include "Support/CsvField.h"
#include "Support/Json.h"
#include "Support/Table.h"
#include "Tables/Cells.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace llvm;

namespace memkit {

/// Calls Do with the rows of each batch.
static Error forEachRows(const TypedTable &T,
                         function_ref<void(const RowList &)> Do) {
  return forEachBatch(
      T, [] { return false; },
      [&](const TableBatch &B) { Do(BatchRows(T, B)); });
}

//===----------------------------------------------------------------------===//
// For programs
//===----------------------------------------------------------------------===//

static void writeCsvNames(raw_ostream &OS, ArrayRef<ColumnInfo> Columns) {
  ListSeparator Comma(",");
  for (const ColumnInfo &C : Columns) {
    OS << Comma;
    printField(OS, C.Name);
  }
  OS << '\n';
}

static void writeCsvCell(raw_ostream &OS, const TableCell &C) {
  if (std::optional<StringRef> Text = textIn(C))
    printField(OS, *Text);
  else if (auto *Number = std::get_if<uint64_t>(&C))
    OS << *Number;
  else if (auto *Integer = std::get_if<int64_t>(&C))
    OS << *Integer;
  else if (auto *Real = std::get_if<double>(&C))
    OS << formatv("{0}", json::Value(*Real));
  else if (auto *Flag = std::get_if<bool>(&C))
    OS << (*Flag ? "true" : "false");
}

static void writeCsvRows(raw_ostream &OS, const RowList &Rows) {
  for (size_t Row = 0; Row != Rows.size(); ++Row) {
    ListSeparator Comma(",");
    for (size_t C = 0; C != Rows.columns().size(); ++C) {
      OS << Comma;
      writeCsvCell(OS, Rows.cell(Row, C));
    }
    OS << '\n';
  }
}

void writeRowsCsv(raw_ostream &OS, const RowList &Rows) {
  writeCsvNames(OS, Rows.columns());
  writeCsvRows(OS, Rows);
}

static Error writeCsv(raw_ostream &OS, const TypedTable &T) {
  writeCsvNames(OS, T.columns());
  return forEachRows(T, [&](const RowList &Rows) { writeCsvRows(OS, Rows); });
}

static json::Value jsonOf(const TableCell &C) {
  if (std::optional<StringRef> Text = textIn(C))
    return jsonText(*Text);
  if (auto *Number = std::get_if<uint64_t>(&C))
    return *Number;
  if (auto *Integer = std::get_if<int64_t>(&C))
    return *Integer;
  if (auto *Real = std::get_if<double>(&C); Real && std::isfinite(*Real))
    return *Real;
  if (auto *Flag = std::get_if<bool>(&C))
    return *Flag;
  return nullptr;
}

static void writeJsonRows(json::OStream &J, const RowList &Rows);

static void writeJsonCell(json::OStream &J, StringRef Key, const TableCell &C) {
  if (auto *List = std::get_if<RowListRef>(&C))
    J.attributeArray(Key, [&] { writeJsonRows(J, **List); });
  else
    J.attribute(Key, jsonOf(C));
}

static void writeJsonRows(json::OStream &J, const RowList &Rows) {
  ArrayRef<ColumnInfo> Columns = Rows.columns();
  bool IsPlain = Columns.size() == 1 && Columns[0].Name.empty();
  for (size_t Row = 0; Row != Rows.size(); ++Row)
    if (IsPlain)
      J.value(jsonOf(Rows.cell(Row, 0)));
    else
      J.object([&] {
        for (size_t C = 0; C != Columns.size(); ++C)
          writeJsonCell(J, Columns[C].Name, Rows.cell(Row, C));
      });
}

void writeRowsJson(json::OStream &J, StringRef Key, const RowList &Rows) {
  J.attributeArray(Key, [&] { writeJsonRows(J, Rows); });
}

void writeColumnsJson(json::OStream &J, const RowList &Rows) {
  for (size_t C = 0; C != Rows.columns().size(); ++C)
    J.attributeArray(Rows.columns()[C].Name, [&] {
      for (size_t Row = 0; Row != Rows.size(); ++Row)
        J.value(jsonOf(Rows.cell(Row, C)));
    });
}

/// Writes the attribute Name, an array with all rows of T.
static Error writeTableJson(json::OStream &J, const TypedTable &T,
                            StringRef Name) {
  Error Failure = Error::success();
  J.attributeArray(Name, [&] {
    Failure = joinErrors(
        std::move(Failure),
        forEachRows(T, [&](const RowList &Rows) { writeJsonRows(J, Rows); }));
  });
  return Failure;
}

Error writeTablesJson(raw_ostream &OS, ArrayRef<NamedTable> Tables) {
  json::OStream J(OS, /*IndentSize=*/2);
  Error Failure = Error::success();
  J.object([&] {
    for (const NamedTable &T : Tables)
      Failure =
          joinErrors(std::move(Failure), writeTableJson(J, T.Rows, T.Name));
  });
  OS << '\n';
  return Failure;
}

//===----------------------------------------------------------------------===//
// For people
//===----------------------------------------------------------------------===//

/// Ids are 32 bits wide, counts 64.
static std::string numberText(uint64_t Number, const ColumnInfo &Of) {
  switch (unitOf(Of.Name)) {
  case ColumnUnit::Bytes:
    return formatSize(Number);
  case ColumnUnit::Ns:
    return formatTime(Number);
  case ColumnUnit::Millionths:
    return formatShare(uint32_t(Number));
  case ColumnUnit::None:
    return Of.Type == ColumnType::UInt32 || Of.Style & CS_Whole
               ? std::to_string(Number)
               : formatCount(Number);
  }
  llvm_unreachable("all units are handled");
}

static std::string textOf(const TableCell &C, const ColumnInfo &Of) {
  if (std::optional<StringRef> Text = textIn(C))
    return Text->str();
  if (auto *Flag = std::get_if<bool>(&C))
    return *Flag ? "yes" : "no";
  if (auto *Real = std::get_if<double>(&C))
    return formatv("{0:g}", *Real).str();
  if (auto *Number = std::get_if<uint64_t>(&C))
    return numberText(*Number, Of);
  auto *Integer = std::get_if<int64_t>(&C);
  if (!Integer)
    return "";
  if (Of.Style & CS_Signed)
    return unitOf(Of.Name) == ColumnUnit::Bytes ? formatSizeChange(*Integer)
                                                : formatCountChange(*Integer);
  return *Integer < 0 ? std::to_string(*Integer)
                      : numberText(uint64_t(*Integer), Of);
}

/// `live_bytes` is `live`; the second of two equal titles keeps its unit.
static std::vector<std::string> titlesOf(ArrayRef<ColumnInfo> Columns) {
  std::vector<std::string> Out;
  StringSet<> Taken;
  for (const ColumnInfo &C : Columns) {
    if (!C.Title.empty()) {
      Out.push_back(C.Title);
      continue;
    }
    StringRef Short = C.Name;
    for (StringRef Unit : {"_bytes", "_ns", "_ppm"})
      Short.consume_back(Unit);
    std::string Title = (Taken.insert(Short).second ? Short : C.Name).str();
    std::replace(Title.begin(), Title.end(), '_', ' ');
    Out.push_back(std::move(Title));
  }
  return Out;
}

namespace {
/// Collects the texts of rows: which columns are shown depends on all of them.
class PeopleTable {
public:
  explicit PeopleTable(ArrayRef<ColumnInfo> Columns)
      : Columns(Columns), HasValue(Columns.size()) {
    for (size_t I = 0; I != Columns.size(); ++I)
      HasValue[I] = !Columns[I].IsNullable || Columns[I].Style & CS_Kept;
  }
  void add(const RowList &Rows);
  bool empty() const { return Texts.empty(); }
  Table take();

private:
  ArrayRef<ColumnInfo> Columns;
  std::vector<std::vector<std::string>> Texts;
  std::vector<bool> HasValue;
};
} // namespace

void PeopleTable::add(const RowList &Rows) {
  for (size_t Row = 0; Row != Rows.size(); ++Row) {
    std::vector<std::string> &To = Texts.emplace_back();
    for (size_t I = 0; I != Columns.size(); ++I) {
      To.push_back(textOf(Rows.cell(Row, I), Columns[I]));
      HasValue[I] = HasValue[I] || !To.back().empty();
    }
  }
}

Table PeopleTable::take() {
  std::vector<std::string> Titles = titlesOf(Columns);
  std::vector<Table::Column> Shown;
  for (size_t I = 0; I != Titles.size(); ++I) {
    const ColumnInfo &C = Columns[I];
    bool IsText = C.Type == ColumnType::Text || C.Type == ColumnType::Choice;
    if (HasValue[I])
      Shown.push_back({Titles[I],
                       IsText && !(C.Style & CS_Right) ? Table::Side::Left
                                                       : Table::Side::Right,
                       C.Type == ColumnType::Text && !(C.Style & CS_Whole)});
  }
  Table Out(std::move(Shown));
  for (std::vector<std::string> &Row : Texts) {
    size_t At = 0;
    erase_if(Row, [&](const std::string &) { return !HasValue[At++]; });
    Out.add(std::move(Row));
  }
  return Out;
}

Table tableOf(const RowList &Rows) {
  PeopleTable Out(Rows.columns());
  Out.add(Rows);
  return Out.take();
}

static Error writeForPeople(raw_ostream &OS, const TypedTable &T,
                            bool IsMarkdown, unsigned Width) {
  PeopleTable Texts(T.columns());
  if (Error E = forEachRows(T, [&](const RowList &Rows) { Texts.add(Rows); }))
    return E;
  if (Texts.empty())
    OS << "no rows\n";
  else if (IsMarkdown)
    Texts.take().printMarkdown(OS);
  else
    Texts.take().print(OS, Width);
  return Error::success();
}

Error writeTableText(raw_ostream &OS, const TypedTable &T,
                     TableTextFormat Format, StringRef Name, unsigned Width) {
  switch (Format) {
  case TableTextFormat::Csv:
    return writeCsv(OS, T);
  case TableTextFormat::Json:
    return writeTablesJson(OS, NamedTable{Name, T});
  case TableTextFormat::Text:
  case TableTextFormat::Markdown:
    return writeForPeople(OS, T, Format == TableTextFormat::Markdown, Width);
  }
  llvm_unreachable("all formats are handled");
}

} // namespace memkit
