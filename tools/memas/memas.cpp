//===- memas.cpp - Text form to trace -------------------------------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Support/OutputFile.h"
#include "memkit/Support/ToolMain.h"
#include "memkit/TraceText/Assembler.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace memkit;

static cl::opt<std::string> Input(cl::Positional, cl::init("-"),
                                  cl::desc("[text file]"),
                                  cl::cat(toolCategory()));
static cl::opt<std::string> Output("o", cl::init("-"), cl::value_desc("file"),
                                   cl::desc("write the trace to file (-)"),
                                   cl::cat(toolCategory()));
static cl::opt<bool>
    Unchecked("unchecked",
              cl::desc("allow what a reader must refuse, for tests"),
              cl::cat(toolCategory()));

static Expected<int> run() {
  auto Text = MemoryBuffer::getFileOrSTDIN(Input);
  if (!Text)
    return makeError((Input == "-" ? "<stdin>" : StringRef(Input)) + ": " +
                     Text.getError().message());
  auto Out = OutputFile::open(Output, OutputFile::Content::Trace);
  if (!Out)
    return Out.takeError();
  FdSink Sink((*Out)->fd(), (*Out)->name().str());
  AssembleOptions Options;
  Options.Unchecked = Unchecked;
  auto Done = assemble(**Text, Sink, Options);
  if (!Done) {
    Error Left = handleErrors(Done.takeError(), [](const SyntaxError &E) {
      E.diagnostic().print(toolName().data(), errs());
    });
    if (Left)
      return std::move(Left);
    return ExitError;
  }
  if (Error E = (*Out)->keep())
    return std::move(E);
  return ExitOk;
}

int main(int Argc, char **Argv) {
  return runTool(Argc, Argv,
                 {"memas", "assemble the text form of a trace",
                  "memas example.mas -o trace.fb\n"
                  "memdump --format=asm trace.fb | memas -o same.fb"},
                 run);
}
