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

/// Calls Do for each row with its cells.
static Error forEachRow(const TypedTable &T,
                        function_ref<void(ArrayRef<TableCell>)> Do) {
  std::vector<TableCell> Cells(T.columns().size());
  return forEachBatch(
      T, [] { return false; },
      [&](const TableBatch &B) {
        for (size_t Row = 0; Row != B.Rows; ++Row) {
          for (size_t I = 0; I != Cells.size(); ++I)
            Cells[I] = cellOf(T.columns()[I], B.Columns[I], Row);
          Do(Cells);
        }
      });
}

//===----------------------------------------------------------------------===//
// For programs
//===----------------------------------------------------------------------===//

static Error writeCsv(raw_ostream &OS, const TypedTable &T) {
  ListSeparator Comma(",");
  for (const ColumnInfo &C : T.columns())
    OS << Comma << C.Name;
  OS << '\n';
  return forEachRow(T, [&](ArrayRef<TableCell> Cells) {
    ListSeparator Next(",");
    for (const TableCell &C : Cells) {
      OS << Next;
      if (auto *Text = std::get_if<StringRef>(&C))
        printField(OS, *Text);
      else if (auto *Number = std::get_if<int64_t>(&C))
        OS << *Number;
      else if (auto *Real = std::get_if<double>(&C))
        OS << formatv("{0}", json::Value(*Real));
      else if (auto *Flag = std::get_if<bool>(&C))
        OS << (*Flag ? "true" : "false");
    }
    OS << '\n';
  });
}

static json::Value jsonOf(const TableCell &C) {
  if (auto *Text = std::get_if<StringRef>(&C))
    return jsonText(*Text);
  if (auto *Number = std::get_if<int64_t>(&C))
    return *Number;
  if (auto *Real = std::get_if<double>(&C); Real && std::isfinite(*Real))
    return *Real;
  if (auto *Flag = std::get_if<bool>(&C))
    return *Flag;
  return nullptr;
}

static Error writeJson(raw_ostream &OS, const TypedTable &T, StringRef Name) {
  json::OStream J(OS, /*IndentSize=*/2);
  Error Failure = Error::success();
  J.object([&] {
    J.attributeArray(Name, [&] {
      Failure = joinErrors(
          std::move(Failure), forEachRow(T, [&](ArrayRef<TableCell> Cells) {
            J.object([&] {
              for (size_t I = 0; I != Cells.size(); ++I)
                J.attribute(T.columns()[I].Name, jsonOf(Cells[I]));
            });
          }));
    });
  });
  OS << '\n';
  return Failure;
}

//===----------------------------------------------------------------------===//
// For people
//===----------------------------------------------------------------------===//

static std::string textOf(const TableCell &C, const ColumnInfo &Of) {
  if (auto *Text = std::get_if<StringRef>(&C))
    return Text->str();
  if (auto *Flag = std::get_if<bool>(&C))
    return *Flag ? "yes" : "no";
  if (auto *Real = std::get_if<double>(&C))
    return formatv("{0:g}", *Real).str();
  auto *Number = std::get_if<int64_t>(&C);
  if (!Number)
    return "";
  switch (unitOf(Of.Name)) {
  case ColumnUnit::Bytes:
    return formatSize(uint64_t(std::max<int64_t>(*Number, 0)));
  case ColumnUnit::Ns:
    return formatTime(uint64_t(std::max<int64_t>(*Number, 0)));
  case ColumnUnit::Millionths:
    return formatShare(uint32_t(*Number));
  case ColumnUnit::None: // ids are 32 bits wide, counts 64
    return Of.Type == ColumnType::UInt32 || *Number < 0
               ? std::to_string(*Number)
               : formatCount(uint64_t(*Number));
  }
  llvm_unreachable("all units are handled");
}

/// `live_bytes` is `live`; the second of two equal titles keeps its unit.
static std::vector<std::string> titlesOf(const TypedTable &T) {
  std::vector<std::string> Out;
  StringSet<> Taken;
  for (const ColumnInfo &C : T.columns()) {
    StringRef Short = C.Name;
    for (StringRef Unit : {"_bytes", "_ns", "_ppm"})
      Short.consume_back(Unit);
    std::string Title = (Taken.insert(Short).second ? Short : C.Name).str();
    std::replace(Title.begin(), Title.end(), '_', ' ');
    Out.push_back(std::move(Title));
  }
  return Out;
}

static Error writeForPeople(raw_ostream &OS, const TypedTable &T,
                            bool IsMarkdown, unsigned Width) {
  std::vector<std::vector<std::string>> Rows;
  std::vector<bool> HasValue(T.columns().size());
  if (Error E = forEachRow(T, [&](ArrayRef<TableCell> Cells) {
        std::vector<std::string> &Row = Rows.emplace_back();
        for (size_t I = 0; I != Cells.size(); ++I) {
          Row.push_back(textOf(Cells[I], T.columns()[I]));
          HasValue[I] = HasValue[I] || !Row.back().empty();
        }
      }))
    return E;
  std::vector<std::string> Titles = titlesOf(T);
  std::vector<Table::Column> Columns;
  for (size_t I = 0; I != Titles.size(); ++I) {
    ColumnType Type = T.columns()[I].Type;
    bool IsText = Type == ColumnType::Text || Type == ColumnType::Choice;
    if (HasValue[I])
      Columns.push_back({Titles[I],
                         IsText ? Table::Side::Left : Table::Side::Right,
                         Type == ColumnType::Text});
  }
  Table Out(std::move(Columns));
  for (const std::vector<std::string> &Row : Rows) {
    std::vector<std::string> Shown;
    for (size_t I = 0; I != Row.size(); ++I)
      if (HasValue[I])
        Shown.push_back(Row[I]);
    Out.add(std::move(Shown));
  }
  if (Rows.empty())
    OS << "no rows\n";
  else if (IsMarkdown)
    Out.printMarkdown(OS);
  else
    Out.print(OS, Width);
  return Error::success();
}

Error writeTableText(raw_ostream &OS, const TypedTable &T,
                     TableTextFormat Format, StringRef Name, unsigned Width) {
  switch (Format) {
  case TableTextFormat::Csv:
    return writeCsv(OS, T);
  case TableTextFormat::Json:
    return writeJson(OS, T, Name);
  case TableTextFormat::Text:
  case TableTextFormat::Markdown:
    return writeForPeople(OS, T, Format == TableTextFormat::Markdown, Width);
  }
  llvm_unreachable("all formats are handled");
}

} // namespace memkit
