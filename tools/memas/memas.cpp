// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembles the text form into a trace.

#include "Cli/HelpText.h"
#include "Cli/OutputFile.h"
#include "Cli/ToolMain.h"
#include "Cli/TraceFolder.h"
#include "Support/CommandText.h"
#include "TraceText/Assembler.h"
#include "memkit/Model/Complete.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static cl::opt<std::string> Input(cl::Positional, cl::init("-"),
                                  cl::desc("[text file]"),
                                  cl::cat(toolCategory()));
static cl::opt<std::string> Output("o", cl::init("-"), cl::value_desc("file"),
                                   cl::desc("Write the trace to this file"),
                                   cl::cat(toolCategory()));
static cl::opt<bool>
    Unchecked("unchecked",
              cl::desc("Allow values that a reader must refuse, for tests"),
              cl::cat(helpGroup(HelpGroup::Expert)));

static cl::opt<bool> Summarize(
    "summarize",
    cl::desc("Append intervals, snapshots and a summary, computed from events"),
    cl::cat(toolCategory()));

/// Assembles Text to Out without changes.
static Expected<Assembled> assembleTo(MemoryBufferRef Text, Sink &Out) {
  AssembleOptions Options;
  Options.Unchecked = Unchecked;
  return assemble(Text, Out, Options);
}

/// Assembles Text and adds Intervals, Snapshots and Summary.
static Error summarizeTo(MemoryBufferRef Text, Sink &Out) {
  std::string File;
  StringSink InMemory(File);
  Expected<Assembled> Done = assembleTo(Text, InMemory);
  if (!Done)
    return Done.takeError();
  auto Reader = TraceReader::create(
      MemoryBuffer::getMemBuffer(File, Text.getBufferIdentifier(), false));
  if (!Reader)
    return Reader.takeError();
  auto Writer = TraceWriter::create(Out, (*Reader)->header());
  if (!Writer)
    return Writer.takeError();
  if (Error E = completeTrace(**Reader, **Writer))
    return E;
  return Done->Complete ? (*Writer)->finish() : Error::success();
}

static Expected<int> run() {
  if (Input == "-" && isatty(STDIN_FILENO))
    say("reading the text of a trace from the terminal, up to Ctrl-D");
  auto Text = MemoryBuffer::getFileOrSTDIN(Input);
  if (!Text)
    return makeError((Input == "-" ? "<stdin>" : StringRef(Input)) + ": " +
                     Text.getError().message());
  if ((*Text)->getBuffer().starts_with("\x28\xb5\x2f\xfd"))
    return makeError(Input + ": a trace, and not its text: memdump "
                             "--format=asm gives the text");
  if (Error E = checkNoInput(Output, Input.getValue()))
    return std::move(E);
  auto Out = OutputFile::open(Output, OutputFile::Content::Trace);
  if (!Out)
    return Out.takeError();
  FdSink Sink((*Out)->fd(), (*Out)->name().str());
  Error Problem = Summarize ? summarizeTo(**Text, Sink)
                            : assembleTo(**Text, Sink).takeError();
  bool IsSyntax = false;
  Problem = handleErrors(std::move(Problem), [&](const SyntaxError &E) {
    std::string Said;
    raw_string_ostream OS(Said);
    E.diagnostic().print(toolName().data(), OS, /*ShowColors=*/false);
    for (StringRef Line : split(StringRef(Said).rtrim('\n'), '\n'))
      errs() << oneLine(Line) << '\n';
    IsSyntax = true;
  });
  if (Problem)
    return std::move(Problem);
  if (IsSyntax)
    return ExitError;
  if (Error E = (*Out)->keep())
    return std::move(E);
  return ExitOk;
}

int main(int Argc, char **Argv) {
  return runTool(Argc, Argv,
                 {"memas", "Assembles the text form of a trace.",
                  "memas example.mas -o trace.fb\n"
                  "memdump --format=asm trace.fb | memas -o same.fb",
                  "[text]"},
                 run);
}
