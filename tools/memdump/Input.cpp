// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace that memdump reads.

#include "Input.h"
#include "Cli/Progress.h"
#include "Cli/ToolMain.h"
#include "Model/Replay/TempTrace.h"
#include "Options.h"

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

Error memkit::withCompleteTrace(function_ref<Error(StringRef)> Use) {
  auto Reader = openReader();
  if (!Reader)
    return Reader.takeError();
  if ((*Reader)->complete() && Input != "-")
    return Use(Input);
  Expected<TempTrace> Copy = TempTrace::complete(**Reader);
  if (!Copy)
    return Copy.takeError();
  return Use(Copy->path());
}
