//===- memdump.cpp - A trace as text --------------------------------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EventFilter.h"
#include "MapPrinter.h"
#include "OomPrinter.h"
#include "Options.h"
#include "memkit/Model/Check.h"
#include "memkit/Model/Complete.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/OutputFile.h"
#include "memkit/Support/Table.h"
#include "memkit/Support/ToolMain.h"
#include "memkit/Symbolize/SymbolizeTrace.h"
#include "memkit/Trace/TraceWriter.h"
#include "memkit/TraceText/Printers.h"
#include "memkit/TraceText/TraceSummary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace memkit;

static SelectionSpec Spec;

/// A file's names are looked up first; a pipe is printed as it comes.
static Expected<std::unique_ptr<BlockVisitor>>
createTextPrinter(raw_ostream &OS) {
  if (!sys::fs::is_regular_file(Input))
    return createListing(OS, Spec.AllFrames);
  auto Reader = TraceReader::open(Input);
  if (!Reader)
    return Reader.takeError();
  return createListing(OS, Spec.AllFrames, **Reader);
}

static Expected<std::unique_ptr<BlockVisitor>> createPrinter(raw_ostream &OS) {
  switch (OutputFormat) {
  case Format::Text:
    return createTextPrinter(OS);
  case Format::Asm:
    return createAsmPrinter(OS);
  case Format::Json:
    return createJsonPrinter(OS);
  case Format::Csv:
    return createCsvPrinter(OS);
  }
  llvm_unreachable("all formats are listed");
}

static void warnOf(StringRef Name, StringRef Damage) {
  if (!Damage.empty())
    warn(Name + ": " + Damage);
}

static Error visitBlock(const BlockInfo &Info, const AnyBlock &Block,
                        BlockVisitor &V) {
  return std::visit(
      [&](const auto &B) -> Error {
        if constexpr (std::is_same_v<std::decay_t<decltype(B)>, std::monostate>)
          return Error::success();
        else
          return V.visit(Info, B);
      },
      Block);
}

namespace {
/// The trace of a selection of events. It is read twice.
struct Chosen {
  std::unique_ptr<Trace> T;
  std::optional<Selection> Sel;

  Error open() {
    if (!sys::fs::is_regular_file(Input))
      return makeUsageError("selections and --columns need a file");
    Expected<std::unique_ptr<Trace>> Opened = Trace::open(Input);
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

/// Prints events by the columns asked for.
static Error printColumns(OutputFile &Out) {
  bool Json = OutputFormat == Format::Json;
  if (OutputFormat.getNumOccurrences() && !Json && OutputFormat != Format::Csv)
    return makeUsageError("--columns are printed as csv or json");
  if (Spec.At)
    return makeUsageError("--columns show a course of time: --since and "
                          "--until, no --at");
  Chosen Of;
  if (Error E = Of.open())
    return E;
  for (const std::string &Warning : Of.T->warnings())
    warn(Warning);
  if (!Spec.AllFrames)
    Of.T->foldFrames();
  return writeEventRows(
      Out.os(), *Of.T, *Of.Sel,
      std::vector<EventColumn>(Columns.begin(), Columns.end()), Json,
      [&] { return Out.failed(); });
}

/// Prints every block as it comes, until the output takes no more.
static Error print(OutputFile &Out) {
  if (!Columns.empty())
    return printColumns(Out);
  Chosen Of;
  if (!Spec.empty() && OutputFormat == Format::Asm)
    return makeUsageError("--format=asm is the whole trace");
  if (!Spec.empty())
    if (Error E = Of.open())
      return E;
  // The lossless form must not lose what it does not know.
  auto Stream = BlockStream::open(Input, OutputFormat == Format::Asm
                                             ? BlockStream::Unknown::Refuse
                                             : BlockStream::Unknown::PassOver);
  if (!Stream)
    return Stream.takeError();
  auto Printer = createPrinter(Out.os());
  if (!Printer)
    return Printer.takeError();
  std::unique_ptr<BlockVisitor> Filter;
  if (Of.Sel) {
    auto Made = createEventFilter(*Of.T, *Of.Sel, **Printer);
    if (!Made)
      return Made.takeError();
    Filter = std::move(*Made);
  }
  BlockVisitor &To = Filter ? *Filter : **Printer;
  BlockStream &In = **Stream;
  while (!Out.failed()) {
    Expected<std::optional<AnyBlock>> Block = In.next();
    if (!Block)
      return Block.takeError();
    if (!*Block)
      break;
    if (Error E = visitBlock(In.info(), **Block, To))
      return E;
  }
  warnOf(In.name(), In.damage());
  return Error::success();
}

namespace {
/// What one of the jobs prints of a summary, in each format; null: not in it.
struct TotalsPrinter {
  StringRef Name; ///< `layers are`
  void (*Text)(raw_ostream &, const TraceSummary &, unsigned Width);
  void (*Json)(json::OStream &, const TraceSummary &);
  void (*Csv)(raw_ostream &, const TraceSummary &);
};
} // namespace

static TotalsPrinter totalsPrinter() {
  switch (What) {
  case Job::Layers:
    return {"layers are", printLayers, writeLayersJson, printLayersCsv};
  case Job::Scopes:
    return {"scopes are", printScopes, writeScopesJson, printScopesCsv};
  case Job::Kinds:
    return {"kinds are", printKinds,
            [](json::OStream &J, const TraceSummary &S) {
              writeKindsJson(J, S, /*WithLayers=*/true);
            },
            printKindsCsv};
  default:
    return {"a summary is", printSummary, writeSummaryJson, nullptr};
  }
}

static Error printTotals(OutputFile &Out) {
  TotalsPrinter P = totalsPrinter();
  if (OutputFormat == Format::Asm || (OutputFormat == Format::Csv && !P.Csv))
    return makeUsageError(P.Name + " printed as text" +
                          (P.Csv ? ", json or csv" : " or json"));
  auto Reader = TraceReader::open(Input);
  if (!Reader)
    return Reader.takeError();
  warnOf((*Reader)->name(), (*Reader)->damage());
  auto S = readTraceSummary(**Reader, [&] { return summarize(**Reader); });
  if (!S)
    return S.takeError();
  if (OutputFormat == Format::Csv) {
    P.Csv(Out.os(), *S);
    return Error::success();
  }
  if (OutputFormat == Format::Text) {
    P.Text(Out.os(), *S, outputWidth());
    return Error::success();
  }
  json::OStream J(Out.os(), 2);
  J.object([&] { P.Json(J, *S); });
  Out.os() << '\n';
  return Error::success();
}

static Error printFailures(OutputFile &Out) {
  if (OutputFormat != Format::Text && OutputFormat != Format::Json)
    return makeUsageError("what lived without memory is printed as text or "
                          "json");
  auto T = Trace::open(Input);
  if (!T)
    return T.takeError();
  for (const std::string &Warning : (*T)->warnings())
    warn(Warning);
  (*T)->foldFrames();
  if (OutputFormat == Format::Text)
    printOoms(Out.os(), **T);
  else
    writeOomJson(Out.os(), **T);
  return Error::success();
}

/// Of the peak and of a failure each device has its own moment.
static Error printMap(OutputFile &Out) {
  if (OutputFormat != Format::Text && OutputFormat != Format::Json)
    return makeUsageError("a map is printed as text or json");
  MapMoment When = MapMoment::At;
  if (!Spec.At || Spec.At->K == TimePoint::Kind::Peak)
    When = MapMoment::Peak;
  else if (Spec.At->K == TimePoint::Kind::Oom)
    When = MapMoment::Oom;
  if (When != MapMoment::At)
    Spec.At.reset();
  auto T = Trace::open(Input);
  if (!T)
    return T.takeError();
  for (const std::string &Warning : (*T)->warnings())
    warn(Warning);
  Expected<Selection> Sel = Selection::create(**T, Spec);
  if (!Sel)
    return Sel.takeError();
  Expected<std::vector<DeviceMap>> Maps = mapDevices(**T, *Sel, When);
  if (!Maps)
    return Maps.takeError();
  if (!Spec.AllFrames)
    (*T)->foldFrames();
  if (OutputFormat == Format::Text)
    printMaps(Out.os(), **T, *Maps, [&] { return Out.failed(); });
  else
    writeMapJson(Out.os(), **T, *Maps, [&] { return Out.failed(); });
  return Error::success();
}

/// Replays the events; what differs from the trace's sums is an error.
static Expected<int> check(OutputFile &Out) {
  auto Reader = TraceReader::open(Input);
  if (!Reader)
    return Reader.takeError();
  warnOf((*Reader)->name(), (*Reader)->damage());
  Expected<CheckResult> R = checkTrace(**Reader);
  if (!R)
    return R.takeError();
  for (const std::string &Note : R->Notes)
    warn((*Reader)->name() + ": " + Note);
  raw_ostream &OS = Out.os();
  for (const std::string &Difference : R->Differences)
    OS << Difference << '\n';
  if (R->MoreDifferences)
    OS << "and " << formatCount(R->MoreDifferences) << " more\n";
  OS << formatCount(R->Events)
     << " events replayed; compared: " << formatCount(R->SummaryRows)
     << " rows of the summary, " << formatCount(R->Slices) << " slices, "
     << formatCount(R->Keyframes) << " keyframes\n";
  OS.flush();
  if (R->agrees())
    return ExitOk;
  reportError(
      makeError((*Reader)->name() + ": its sums are not those of its events"));
  return ExitError;
}

/// Writes R with its sums and index to File.
static Error complete(TraceReader &R, sys::fs::TempFile &File) {
  FdSink Sink(File.FD, File.TmpName);
  auto Writer = TraceWriter::create(Sink, R.header());
  if (!Writer)
    return Writer.takeError();
  if (Error E = completeTrace(R, **Writer))
    return E;
  return (*Writer)->finish();
}

/// Copies the trace Path with the symbols that this machine's files give.
static Error symbolizeFile(StringRef Path, OutputFile &Out) {
  auto Stream = BlockStream::open(Path);
  if (!Stream)
    return Stream.takeError();
  // The writer begins with the header.
  auto First = (*Stream)->next();
  if (!First)
    return First.takeError();
  FdSink Sink(Out.fd(), Out.name().str());
  auto Writer = TraceWriter::create(Sink, std::get<Header>(**First));
  if (!Writer)
    return Writer.takeError();
  auto Stats = symbolizeTrace(**Stream, **Writer);
  if (!Stats)
    return Stats.takeError();
  say(Twine(Stats->Resolved) + " of " + Twine(Stats->Frames) +
      " frames without symbols have them now");
  return Error::success();
}

/// A trace that was cut gets its sums first, by way of a temporary file.
static Error symbolize(OutputFile &Out) {
  auto Reader = TraceReader::open(Input);
  if (!Reader)
    return Reader.takeError();
  warnOf((*Reader)->name(), (*Reader)->damage());
  if ((*Reader)->complete() && Input != "-")
    return symbolizeFile(Input, Out);
  SmallString<128> Folder;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Folder);
  auto File = sys::fs::TempFile::create(Folder + "/memdump-%%%%%%.fb", 0600);
  if (!File)
    return File.takeError();
  Error E = complete(**Reader, *File);
  if (!E)
    E = symbolizeFile(File->TmpName, Out);
  return joinErrors(std::move(E), File->discard());
}

static Expected<int> done(Error E) {
  if (E)
    return std::move(E);
  return ExitOk;
}

static Expected<int> dump(OutputFile &Out) {
  switch (What) {
  case Job::Print:
    return done(print(Out));
  case Job::Summary:
  case Job::Layers:
  case Job::Scopes:
  case Job::Kinds:
    return done(printTotals(Out));
  case Job::Oom:
    return done(printFailures(Out));
  case Job::Map:
    return done(printMap(Out));
  case Job::Symbolize:
    return done(symbolize(Out));
  case Job::Check:
    return check(Out);
  }
  llvm_unreachable("all jobs are listed");
}

static Expected<int> run(const SelectionFlags &Flags) {
  Expected<SelectionSpec> Given = Flags.spec();
  if (!Given)
    return Given.takeError();
  Spec = std::move(*Given);
  bool IsList = What == Job::Print;
  if ((!IsList && !Columns.empty()) ||
      (!IsList && What != Job::Map && !Spec.empty()))
    return makeUsageError("selections are for the list of events and --map, "
                          "--columns for the list");
  auto Kind = What == Job::Symbolize ? OutputFile::Content::Trace
                                     : OutputFile::Content::Text;
  auto Out = OutputFile::open(Output, Kind);
  if (!Out)
    return Out.takeError();
  Expected<int> Status = dump(**Out);
  if (!Status)
    return Status;
  if (Error E = (*Out)->keep())
    return std::move(E);
  return Status;
}

int main(int Argc, char **Argv) {
  SelectionFlags Flags;
  return runTool(Argc, Argv,
                 {"memdump", "show what a trace holds",
                  "memdump trace.fb | less\n"
                  "memdump --summary trace.fb\n"
                  "memdump --heap='torch.*' --since=step:2 trace.fb\n"
                  "memdump --format=asm trace.fb | memas -o same.fb"},
                 [&] { return run(Flags); });
}
