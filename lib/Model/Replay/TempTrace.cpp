// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace in a temporary file.

#include "TempTrace.h"
#include "memkit/Model/Complete.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace memkit {

Expected<TempTrace>
TempTrace::create(const Header &H,
                  function_ref<Error(TraceWriter &Out)> Write) {
  SmallString<128> Folder;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Folder);
  auto File = sys::fs::TempFile::create(Folder + "/memkit-%%%%%%.fb", 0600);
  if (!File)
    return File.takeError();
  TempTrace T(std::move(*File));
  FdSink Sink(T.File.FD, T.path());
  auto Writer = TraceWriter::create(Sink, H);
  if (!Writer)
    return Writer.takeError();
  if (Error E = Write(**Writer))
    return std::move(E);
  return T;
}

Expected<TempTrace> TempTrace::complete(TraceReader &R) {
  return create(R.header(), [&](TraceWriter &Out) -> Error {
    if (Error E = completeTrace(R, Out))
      return E;
    return Out.finish();
  });
}

TempTrace::~TempTrace() {
  // Of a moved object nothing is left. A file that stays behind harms nothing.
  consumeError(File.discard());
}

} // namespace memkit
