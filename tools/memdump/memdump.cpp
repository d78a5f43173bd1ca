// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a trace as text.

#include "Cli/SelectionFlags.h"
#include "Cli/ToolMain.h"
#include "Jobs.h"
#include "Merge/FolderInput.h"
#include "SymbolizeFlags.h"
#include "Tables/Answers.h"

using namespace llvm;
using namespace memkit;

static Expected<int> done(Error E) {
  if (E)
    return std::move(E);
  return ExitOk;
}

/// A table is a file for programs.
static bool isTableFile() {
  return OutputFormat == DumpFormat::Parquet ||
         OutputFormat == DumpFormat::Arrow;
}
static bool isTable() { return isTableFile() || !WhatTables.empty(); }

/// Errors: a table that the format cannot have, or no table.
static Error checkTable() {
  if (OutputFormat == DumpFormat::Markdown && !isTable())
    return makeUsageError("--format=markdown needs a --table");
  if (!isTable())
    return Error::success();
  if (What != DumpJob::Print || !Columns.empty())
    return makeUsageError("--format=parquet and arrow write a --table; "
                          "--columns, --summary and the like are for text");
  if (OutputFormat == DumpFormat::Asm ||
      OutputFormat == DumpFormat::TorchSnapshot)
    return makeUsageError("--table needs --format=text, markdown, csv, json, "
                          "parquet or arrow");
  if (WhatTables.size() > 1)
    return OutputFormat == DumpFormat::Json
               ? Error::success()
               : makeUsageError("several tables need --format=json");
  const NamedAnswer Answer = answersOfTables().front();
  bool IsForPeople =
      OutputFormat == DumpFormat::Text || OutputFormat == DumpFormat::Markdown;
  return Answer.Streams && IsForPeople
             ? makeUsageError("--table=" + Answer.Name +
                              " needs --format=csv, json, parquet or arrow; "
                              "the list without --table is for people")
             : Error::success();
}

static bool onlyProcesses(SelectionSpec Spec) {
  Spec.Processes.clear();
  return Spec.empty();
}

static Expected<int> dump(OutputFile &Out, const SelectionSpec &Spec) {
  if (isTable())
    return done(printTable(Out, Spec));
  if (OutputFormat == DumpFormat::TorchSnapshot)
    return done(printTorchSnapshot(Out, Spec));
  switch (What) {
  case DumpJob::Print:
    return done(printSections(Out, Spec));
  case DumpJob::Summary:
  case DumpJob::Layers:
  case DumpJob::Operators:
  case DumpJob::Scopes:
  case DumpJob::Steps:
  case DumpJob::Processes:
  case DumpJob::Categories:
    return done(printTotals(Out));
  case DumpJob::Kernels:
  case DumpJob::Programs:
  case DumpJob::Arrays:
    return done(printPrograms(Out));
  case DumpJob::Oom:
    return done(printFailures(Out));
  case DumpJob::Holders:
    return done(printHeldBlocks(Out));
  case DumpJob::Map:
    return done(printMap(Out, Spec));
  case DumpJob::Symbolize:
    return done(symbolize(Out));
  case DumpJob::Redact:
    return done(redact(Out));
  case DumpJob::Check:
    return checkSums(Out);
  }
  llvm_unreachable("all jobs are listed");
}

/// Errors: options that do not go together.
static Error checkOptions(const SelectionSpec &Spec) {
  bool IsList = What == DumpJob::Print;
  if ((!IsList && !Columns.empty()) ||
      (!IsList && What != DumpJob::Map && !Spec.empty()))
    return makeUsageError("selections need the list of events or --map; "
                          "--columns needs the list");
  if (Error E = checkTable())
    return E;
  if (OutputFormat == DumpFormat::TorchSnapshot &&
      (!IsList || !Columns.empty() || !onlyProcesses(Spec)))
    return makeUsageError("--format=torch-snapshot writes the events of a "
                          "process; --process is the only selection");
  if (What != DumpJob::Redact &&
      (!RedactNames.empty() || RedactKey.getNumOccurrences()))
    return makeUsageError("--redact-names and --redact-key need --redact");
  if (What != DumpJob::Symbolize && hasSymbolizeFlags())
    return makeUsageError(SymbolizeFlagNames + " need --symbolize");
  return Error::success();
}

static OutputFile::Content outputKind() {
  if (What == DumpJob::Redact || What == DumpJob::Symbolize)
    return OutputFile::Content::Trace;
  return isTableFile() || OutputFormat == DumpFormat::TorchSnapshot
             ? OutputFile::Content::Machine
             : OutputFile::Content::Text;
}

static Expected<int> run(const SelectionFlags &Flags) {
  if (Error E = chooseTraces(Inputs).moveInto(Input))
    return E;
  Expected<SelectionSpec> Spec = Flags.spec();
  if (!Spec)
    return Spec.takeError();
  if (Error E = checkOptions(*Spec))
    return std::move(E);
  auto Out = OutputFile::open(Output, outputKind());
  if (!Out)
    return Out.takeError();
  Expected<int> Status = dump(**Out, *Spec);
  if (!Status)
    return Status;
  if (Error E = (*Out)->keep())
    return std::move(E);
  return Status;
}

int main(int Argc, char **Argv) {
  acceptFolders();
  SelectionFlags Flags;
  return runTool(
      Argc, Argv,
      {"memdump",
       "Prints a trace as text, JSON or CSV, or its tables, also as "
       "Parquet.",
       "memdump trace.fb | less\n"
       "memdump --summary trace.fb\n"
       "memdump --heap='torch.*' --since=step:2 trace.fb\n"
       "memdump --format=asm trace.fb | memas -o same.fb\n"
       "memdump --table=blocks trace.fb\n"
       "memdump --format=parquet trace.fb -o events.parquet\n"
       "memdump --format=torch-snapshot trace.fb -o snapshot.pickle\n"
       "memdump --redact trace.fb -o public.fb",
       "[trace | folder]..."},
      [&] { return run(Flags); });
}
