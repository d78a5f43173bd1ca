// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace that memdump reads.

#include "Input.h"
#include "Cli/Progress.h"
#include "Cli/ToolMain.h"
#include "Options.h"
#include "memkit/Model/Complete.h"
#include "memkit/Trace/TraceWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace memkit;

Expected<std::unique_ptr<TraceReader>> memkit::openReader() {
  Expected<std::unique_ptr<TraceReader>> Reader = TraceReader::open(Input);
  if (Reader && isBeingRecorded((*Reader)->name()))
    warn((*Reader)->name() +
         ": still being recorded: this is what is written so far");
  else if (Reader && !(*Reader)->damage().empty())
    warn((*Reader)->name() + ": " + (*Reader)->damage());
  return Reader;
}

void memkit::warnUnknown(const TraceReader &R) {
  for (const std::string &Warning : R.unknownWarnings())
    warn(Warning);
}

Expected<std::unique_ptr<Trace>> memkit::openTrace(unsigned Parts) {
  Expected<std::unique_ptr<Trace>> T =
      Trace::open(Input, Parts, showProgress());
  if (T)
    for (const std::string &Warning : (*T)->warnings())
      warn(Warning);
  return T;
}

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

Error memkit::withCompleteTrace(function_ref<Error(StringRef)> Use) {
  auto Reader = openReader();
  if (!Reader)
    return Reader.takeError();
  if ((*Reader)->complete() && Input != "-")
    return Use(Input);
  SmallString<128> Folder;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Folder);
  auto File = sys::fs::TempFile::create(Folder + "/memdump-%%%%%%.fb", 0600);
  if (!File)
    return File.takeError();
  Error E = complete(**Reader, *File);
  if (!E)
    E = Use(File->TmpName);
  return joinErrors(std::move(E), File->discard());
}
