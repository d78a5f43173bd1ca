// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes tables for programs.

#include "Cli/Progress.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Export/ArrowFile.h"
#include "Export/Parquet.h"
#include "Export/TableText.h"
#include "Jobs.h"
#include "Tables/Answers.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

/// What the file says of itself.
static std::vector<std::pair<std::string, std::string>>
factsOf(const Trace &T) {
  const Header &H = T.header();
  return {{"memkit.trace", T.name().str()},
          {"memkit.host", H.Host},
          {"memkit.start_unix_ns", std::to_string(H.Start.RealtimeNs)}};
}

/// The format of a table that is text; none: a file for programs.
static std::optional<TableTextFormat> textFormat() {
  switch (OutputFormat) {
  case DumpFormat::Csv:
    return TableTextFormat::Csv;
  case DumpFormat::Json:
    return TableTextFormat::Json;
  case DumpFormat::Markdown:
    return TableTextFormat::Markdown;
  case DumpFormat::Text:
    return TableTextFormat::Text;
  default:
    return std::nullopt;
  }
}

std::vector<NamedAnswer> memkit::answersOfTables() {
  std::vector<NamedAnswer> Out;
  for (DumpTable Table : WhatTables)
    if (const NamedAnswer &A = namedAnswers()[size_t(Table)];
        none_of(Out, [&](const NamedAnswer &O) { return O.Name == A.Name; }))
      Out.push_back(A);
  // Of --format=parquet and arrow without a table: the events.
  if (Out.empty())
    Out.push_back(namedAnswers().front());
  return Out;
}

Error memkit::printTable(OutputFile &Out, const SelectionSpec &Spec) {
  Expected<std::unique_ptr<Trace>> Opened =
      Trace::open(Input, TP_All | TP_Intervals, showProgress());
  if (!Opened)
    return Opened.takeError();
  auto Of = std::make_shared<SharedTrace>();
  Of->T = std::move(*Opened);
  Trace &T = *Of->T;
  for (const std::string &Warning : T.warnings())
    warn(Warning);
  T.applyRules(Spec.Names, !Spec.AllFrames);
  std::vector<NamedAnswer> Answers = answersOfTables();
  std::vector<TableRef> Rows;
  for (const NamedAnswer &Answer : Answers) {
    Expected<Selection> Sel = Selection::create(T, Spec);
    if (!Sel)
      return Sel.takeError();
    TableAnswer Made = Answer.Make(Of, std::move(*Sel));
    if (!Made)
      return Made.takeError();
    Rows.push_back(std::move(*Made));
  }
  if (OutputFormat == DumpFormat::Json) {
    std::vector<NamedTable> Named;
    for (auto [Answer, Table] : zip(Answers, Rows))
      Named.push_back({Answer.Name, *Table});
    return writeTablesJson(Out.os(), Named);
  }
  if (std::optional<TableTextFormat> Format = textFormat())
    return writeTableText(Out.os(), *Rows[0], *Format, Answers[0].Name,
                          outputWidth());
  const Header &H = T.header();
  uint32_t Process = T.processes().empty() ? H.Pid : T.processes()[0].Pid;
  TableRef All = withOrigin(Rows[0], H.Host, H.Rank, Process);
  auto *Write =
      OutputFormat == DumpFormat::Arrow ? writeArrowFile : writeParquet;
  return Write(Out.os(), *All, factsOf(T), [&] { return Out.failed(); });
}
