// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes a reader of another tool's recordings: MEMKIT_FORMAT.
//
// What a reader accepts must be a trace that can be opened, and whose sums
// equal those of its events.

#include "Import/Build/Formats.h"
#include "memkit/Model/Check.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace memkit;
using namespace llvm;

/// A reader's own fault, which must not pass as an error of the input.
static void fail(Error E) {
  errs() << "an imported trace is wrong: " << toString(std::move(E)) << '\n';
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  ImportFile File = ImportFile::ofMemory(Bytes, "fuzz");
  const ImportFormat *Format = findFormat(MEMKIT_FORMAT);
  TraceBuilder To(Format->Name, "fuzz");
  if (Error E = Format->Read(File, To, {})) {
    consumeError(std::move(E));
    return 0;
  }
  std::string Trace;
  StringSink Out(Trace);
  if (Error E = To.finish(Out))
    fail(std::move(E));
  auto R = TraceReader::create(MemoryBuffer::getMemBuffer(Trace, "t", false));
  if (!R)
    fail(R.takeError());
  auto Report = checkTrace(**R);
  if (!Report)
    fail(Report.takeError());
  if (!Report->agrees())
    fail(createStringError(inconvertibleErrorCode(), Report->Differences[0]));
  return 0;
}
