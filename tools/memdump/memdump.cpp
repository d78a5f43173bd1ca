//===- memdump.cpp - A trace as text --------------------------------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Support/OutputFile.h"
#include "memkit/Support/ToolMain.h"
#include "memkit/TraceText/Printers.h"

using namespace llvm;
using namespace memkit;

namespace {
enum class Format { Text, Asm, Json, Csv };
}

static cl::opt<std::string> Input(cl::Positional, cl::init("-"),
                                  cl::desc("[trace]"), cl::cat(toolCategory()));
static cl::opt<std::string> Output("o", cl::init("-"), cl::value_desc("file"),
                                   cl::desc("write to file (-)"),
                                   cl::cat(toolCategory()));
static cl::opt<Format> OutputFormat(
    "format", cl::desc("What to print:"), cl::init(Format::Text),
    cl::values(clEnumValN(Format::Text, "text", "events, for people (default)"),
               clEnumValN(Format::Asm, "asm", "all of it, as memas reads it"),
               clEnumValN(Format::Json, "json", "all of it, an object a line"),
               clEnumValN(Format::Csv, "csv", "the events")),
    cl::cat(toolCategory()));

static std::unique_ptr<BlockVisitor> createPrinter(raw_ostream &OS) {
  switch (OutputFormat) {
  case Format::Text:
    return createListing(OS);
  case Format::Asm:
    return createAsmPrinter(OS);
  case Format::Json:
    return createJsonPrinter(OS);
  case Format::Csv:
    return createCsvPrinter(OS);
  }
  llvm_unreachable("all formats are listed");
}

/// Prints every block as it comes.
static Error print(raw_ostream &OS) {
  auto Stream = BlockStream::open(Input);
  if (!Stream)
    return Stream.takeError();
  std::unique_ptr<BlockVisitor> Printer = createPrinter(OS);
  if (Error E = visitBlocks(**Stream, *Printer))
    return E;
  if (!(*Stream)->damage().empty())
    warn((*Stream)->name() + ": " + (*Stream)->damage());
  return Error::success();
}

static Expected<int> run() {
  auto Out = OutputFile::open(Output);
  if (!Out)
    return Out.takeError();
  if (Error E = print((*Out)->os()))
    return std::move(E);
  if (Error E = (*Out)->keep())
    return std::move(E);
  return ExitOk;
}

int main(int Argc, char **Argv) {
  return runTool(Argc, Argv,
                 {"memdump", "show what a trace holds",
                  "memdump trace.fb | less\n"
                  "memdump --summary trace.fb"},
                 run);
}
