// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints sections and events.

#include "Cli/Progress.h"
#include "Cli/ToolMain.h"
#include "EventFilter.h"
#include "Input.h"
#include "Jobs.h"
#include "TraceText/Printers.h"
#include "memkit/Model/Trace.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace memkit;

/// Creates a printer that knows a file's names beforehand, and a pipe's names
/// only as they arrive.
static Expected<std::unique_ptr<SectionVisitor>>
createTextPrinter(raw_ostream &OS, bool AllFrames) {
  if (!sys::fs::is_regular_file(Input))
    return createListing(OS, AllFrames);
  Expected<std::unique_ptr<Trace>> T = Trace::open(Input, TP_Stacks);
  if (!T)
    return T.takeError();
  // The totals give processes their names. Errors in the totals are reported
  // when the listing reaches them.
  consumeError((*T)->read(TP_Totals));
  return createListing(OS, AllFrames, std::move(*T));
}

static Expected<std::unique_ptr<SectionVisitor>> createPrinter(raw_ostream &OS,
                                                               bool AllFrames) {
  switch (OutputFormat) {
  case DumpFormat::Text:
    return createTextPrinter(OS, AllFrames);
  case DumpFormat::Asm:
    return createAsmPrinter(OS);
  case DumpFormat::Json:
    return createJsonPrinter(OS);
  case DumpFormat::Csv:
    return createCsvPrinter(OS);
  case DumpFormat::Markdown:
  case DumpFormat::Parquet:
  case DumpFormat::Arrow:
    break; // PrintTables.cpp
  case DumpFormat::TorchSnapshot:
    break; // PrintTorchSnapshot.cpp
  }
  llvm_unreachable("all formats are listed");
}

static Error visitSection(const SectionInfo &Info, const AnySection &Section,
                          SectionVisitor &V) {
  return std::visit(
      [&](const auto &B) -> Error {
        if constexpr (std::is_same_v<std::decay_t<decltype(B)>, std::monostate>)
          return Error::success();
        else
          return V.visit(Info, B);
      },
      Section);
}

namespace {
/// The trace and a selection of its events. The trace is read twice.
struct Chosen {
  std::unique_ptr<Trace> T;
  std::optional<Selection> Sel;

  Error open(const SelectionSpec &Spec) {
    if (!sys::fs::is_regular_file(Input))
      return makeUsageError("selections and --columns need a file");
    Expected<std::unique_ptr<Trace>> Opened =
        Trace::open(Input, TP_Totals | TP_Stacks | TP_Replay, showProgress());
    if (!Opened)
      return Opened.takeError();
    T = std::move(*Opened);
    Expected<Selection> Made = Selection::create(*T, Spec);
    if (!Made)
      return Made.takeError();
    Sel = std::move(*Made);
    return Error::success();
  }
};
} // namespace

/// Prints the chosen columns of events.
static Error printColumns(OutputFile &Out, const SelectionSpec &Spec) {
  bool Json = OutputFormat == DumpFormat::Json;
  if (OutputFormat.getNumOccurrences() && !Json &&
      OutputFormat != DumpFormat::Csv)
    return makeUsageError("--columns needs --format=csv or json");
  if (Spec.At)
    return makeUsageError("--columns excludes --at; use --since and --until");
  Chosen Of;
  if (Error E = Of.open(Spec))
    return E;
  for (const std::string &Warning : Of.T->warnings())
    warn(Warning);
  Of.T->applyRules(Spec.Names, !Spec.AllFrames);
  if (Error E = writeEventRows(
          Out.os(), *Of.T, *Of.Sel,
          std::vector<EventColumn>(Columns.begin(), Columns.end()), Json,
          [&] { return Out.failed(); }))
    return E;
  warnUnknown(Of.T->reader());
  return Error::success();
}

/// Prints every section in file order, until the output takes no more.
Error memkit::printSections(OutputFile &Out, const SelectionSpec &Spec) {
  if (!Columns.empty())
    return printColumns(Out, Spec);
  Chosen Of;
  if (!Spec.empty() && OutputFormat == DumpFormat::Asm)
    return makeUsageError("--format=asm prints the whole trace; remove the "
                          "selection");
  if (!Spec.empty())
    if (Error E = Of.open(Spec))
      return E;
  // The text form is lossless, so unknown sections are an error.
  auto Stream =
      SectionStream::open(Input, OutputFormat == DumpFormat::Asm
                                     ? SectionStream::Unknown::Refuse
                                     : SectionStream::Unknown::PassOver);
  if (!Stream)
    return Stream.takeError();
  auto Printer = createPrinter(Out.os(), Spec.AllFrames);
  if (!Printer)
    return Printer.takeError();
  std::unique_ptr<SectionVisitor> Filter;
  if (Of.Sel) {
    auto Made = createEventFilter(*Of.T, *Of.Sel, **Printer);
    if (!Made)
      return Made.takeError();
    Filter = std::move(*Made);
  }
  SectionVisitor &To = Filter ? *Filter : **Printer;
  SectionStream &In = **Stream;
  while (!Out.failed()) {
    Expected<std::optional<AnySection>> Section = In.next();
    if (!Section)
      return Section.takeError();
    if (!*Section)
      break;
    if (Error E = visitSection(In.info(), **Section, To))
      return E;
  }
  if (!In.damage().empty())
    warn(In.name() + ": " + In.damage());
  for (const std::string &Warning : In.unknownWarnings())
    warn(Warning);
  return Error::success();
}
