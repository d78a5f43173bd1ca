// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a trace and adds symbols.

#include "Cli/ToolMain.h"
#include "Input.h"
#include "Jobs.h"
#include "SymbolizeFlags.h"
#include "memkit/Trace/TraceWriter.h"

using namespace llvm;
using namespace memkit;

/// Copies the trace Path and adds symbols.
static Error symbolizeFile(StringRef Path, OutputFile &Out,
                           const SymbolizeOptions &Options) {
  auto Stream = SectionStream::open(Path);
  if (!Stream)
    return Stream.takeError();
  // The trace must start with the header.
  auto First = (*Stream)->next();
  if (!First)
    return First.takeError();
  FdSink Sink(Out.fd(), Out.name().str());
  const Header &H = std::get<Header>(**First);
  auto Writer = TraceWriter::create(Sink, H);
  if (!Writer)
    return Writer.takeError();
  auto Stats = symbolizeTrace(**Stream, H, **Writer, Options);
  if (!Stats)
    return Stats.takeError();
  printSymbolizeStats(*Stats, Options);
  return Error::success();
}

Error memkit::symbolize(OutputFile &Out) {
  std::unique_ptr<DebugServers> Servers;
  Expected<SymbolizeOptions> Options = symbolizeOptions(Servers);
  if (!Options)
    return Options.takeError();
  return withCompleteTrace(
      [&](StringRef Path) { return symbolizeFile(Path, Out, *Options); });
}
