// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a trace and adds symbols.

#include "Cli/ToolMain.h"
#include "Input.h"
#include "Jobs.h"
#include "Symbolize/SymbolizeTrace.h"
#include "memkit/Trace/TraceWriter.h"

using namespace llvm;
using namespace memkit;

/// Copies the trace Path and adds symbols from files of this machine.
static Error symbolizeFile(StringRef Path, OutputFile &Out) {
  auto Stream = SectionStream::open(Path);
  if (!Stream)
    return Stream.takeError();
  // The trace must start with the header.
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
  say("added symbols to " + Twine(Stats->Resolved) + " of " +
      Twine(Stats->Frames) + " frames without symbols");
  return Error::success();
}

Error memkit::symbolize(OutputFile &Out) {
  return withCompleteTrace(
      [&](StringRef Path) { return symbolizeFile(Path, Out); });
}
