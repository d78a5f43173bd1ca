// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a trace and adds symbols.

#include "Cli/ToolMain.h"
#include "Input.h"
#include "Jobs.h"
#include "Symbolize/SymbolizeTrace.h"
#include "memkit/Model/Complete.h"
#include "memkit/Trace/TraceWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace memkit;

/// Writes R with its summary and index to File.
static Error complete(TraceReader &R, sys::fs::TempFile &File) {
  FdSink Sink(File.FD, File.TmpName);
  auto Writer = TraceWriter::create(Sink, R.header());
  if (!Writer)
    return Writer.takeError();
  if (Error E = completeTrace(R, **Writer))
    return E;
  return (*Writer)->finish();
}

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

/// Symbolizes the trace; a cut trace first gets its summary in a temporary
/// file.
Error memkit::symbolize(OutputFile &Out) {
  auto Reader = openReader();
  if (!Reader)
    return Reader.takeError();
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
