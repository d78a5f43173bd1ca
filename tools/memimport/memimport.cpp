// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a trace of another tool's recording.

#include "Cli/HelpText.h"
#include "Cli/OutputFile.h"
#include "Cli/Progress.h"
#include "Cli/ToolMain.h"
#include "Cli/TraceFolder.h"
#include "Import/Build/Formats.h"
#include "memkit/Support/Format.h"

using namespace llvm;
using namespace memkit;

static cl::list<std::string> Inputs(cl::Positional, cl::desc("[recording...]"),
                                    cl::cat(toolCategory()));
static cl::opt<std::string> Output("o", cl::value_desc("file"),
                                   cl::desc("Write the trace to this file "
                                            "(default: the recording's name "
                                            "with .fb, - for a pipe)"),
                                   cl::cat(toolCategory()));
static cl::opt<std::string>
    From("from", cl::value_desc("format"),
         cl::desc("The format of the recording (default: known by the first "
                  "bytes; --list-formats shows all)"),
         cl::cat(toolCategory()));
static cl::opt<bool> ListFormats("list-formats",
                                 cl::desc("Print the formats and end"),
                                 cl::cat(toolCategory()));

static void listFormats() {
  size_t Width = 0;
  for (const ImportFormat &F : importFormats())
    Width = std::max(Width, F.Name.size());
  for (const ImportFormat &F : importFormats())
    outs() << left_justify(F.Name, unsigned(Width + 2)) << F.Program << '\n';
}

static Expected<const ImportFormat *> chosenFormat() {
  if (From.empty())
    return nullptr;
  if (const ImportFormat *F = findFormat(From))
    return F;
  std::string Names;
  for (const ImportFormat &F : importFormats())
    Names += (Names.empty() ? "" : ", ") + F.Name.str();
  return makeUsageError("--from=" + From + ": no such format; formats are " +
                        Names);
}

/// The name of the trace of a recording.
static std::string chooseOutput(StringRef Input) {
  if (Output.getNumOccurrences())
    return Output;
  return Input == "-" ? "-" : (Input + ".fb").str();
}

static void report(const ImportReport &R, StringRef Name) {
  for (const std::string &W : R.Warnings)
    warn(W);
  std::string Limits;
  for (Lack L : R.Origin.Lacks)
    Limits += (Limits.empty() ? "" : "; ") + lackSentence(L).str();
  say("imported " + formatWords(R.Format->Name) + ": " + formatCount(R.Events) +
      (R.Events == 1 ? " event" : " events"));
  if (!Limits.empty())
    say("limits: " + Limits);
  if (Name != "<stdout>")
    say("next: memstat " + Name);
}

/// Adds how to record what the recording lacks.
static Error withAdvice(Error E) {
  return handleErrors(std::move(E), [](const NotRecorded &N) {
    return makeError(N.message() +
                     "; record them with `nsys profile "
                     "--cuda-memory-usage=true --cudabacktrace=memory`, then "
                     "`nsys export --type=sqlite`");
  });
}

static Error importTo(StringRef Input, const ImportFormat *Format) {
  Expected<ImportFile> File = ImportFile::open(Input);
  if (!File)
    return File.takeError();
  std::string To = chooseOutput(Input);
  if (Error E = checkNoInput(To, Input.str()))
    return E;
  auto Out = OutputFile::open(To, OutputFile::Content::Trace);
  if (!Out)
    return Out.takeError();
  FdSink Sink((*Out)->fd(), (*Out)->name().str());
  Expected<ImportReport> Report =
      importFile(*File, Format, Sink, showProgress());
  if (!Report)
    return withAdvice(Report.takeError());
  if (Error E = (*Out)->keep())
    return E;
  report(*Report, (*Out)->name());
  return Error::success();
}

static Expected<int> run() {
  if (ListFormats) {
    listFormats();
    return ExitOk;
  }
  Expected<const ImportFormat *> Format = chosenFormat();
  if (!Format)
    return Format.takeError();
  if (Inputs.empty())
    Inputs.push_back("-");
  if (Inputs.size() > 1 && Output.getNumOccurrences())
    return makeUsageError("-o is the trace of one recording; several "
                          "recordings become FILE.fb each");
  // A recording that cannot be read does not keep the others from their traces.
  int Status = ExitOk;
  for (const std::string &Input : Inputs)
    if (Error E = importTo(Input, *Format)) {
      if (Inputs.size() == 1)
        return std::move(E);
      reportError(std::move(E));
      Status = ExitError;
    }
  return Status;
}

int main(int Argc, char **Argv) {
  return runTool(Argc, Argv,
                 {"memimport", "Makes a trace of another tool's recording.",
                  "memimport snapshot.pickle\n"
                  "memimport recording.bin -o trace.fb\n"
                  "memimport - < heaptrack.app.zst | memstat",
                  "[recording...]"},
                 run);
}
