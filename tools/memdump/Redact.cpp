// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a trace without private names.

#include "memkit/Model/Redact.h"
#include "Cli/ToolMain.h"
#include "Input.h"
#include "Jobs.h"

using namespace llvm;
using namespace memkit;

static Error redactFile(StringRef Path, OutputFile &Out) {
  Expected<std::unique_ptr<TraceReader>> R = TraceReader::open(Path);
  if (!R)
    return R.takeError();
  RedactOptions Options;
  Options.Names.assign(RedactNames.begin(), RedactNames.end());
  Options.Key = RedactKey;
  FdSink Sink(Out.fd(), Out.name().str());
  auto Writer = TraceWriter::create(Sink, redactHeader((*R)->header()));
  if (!Writer)
    return Writer.takeError();
  if (Error E = redactTrace(**R, **Writer, Options))
    return E;
  warnUnknown(**R);
  return Error::success();
}

Error memkit::redact(OutputFile &Out) {
  return withCompleteTrace(
      [&](StringRef Path) { return redactFile(Path, Out); });
}
