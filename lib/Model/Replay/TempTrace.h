// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace in a temporary file.

#ifndef MEMKIT_LIB_MODEL_TEMPTRACE_H
#define MEMKIT_LIB_MODEL_TEMPTRACE_H

#include "memkit/Trace/TraceReader.h"
#include "memkit/Trace/TraceWriter.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/FileSystem.h"

namespace memkit {

/// A trace that only the user may read, and that is gone with the object, or
/// when a signal ends the program.
class TempTrace {
public:
  /// Write writes the sections and finishes the trace.
  static llvm::Expected<TempTrace>
  create(const Header &H,
         llvm::function_ref<llvm::Error(TraceWriter &Out)> Write);
  /// A copy of R with the stats and the index that R lacks.
  static llvm::Expected<TempTrace> complete(TraceReader &R);
  TempTrace(TempTrace &&) = default;
  TempTrace &operator=(TempTrace &&) = delete;
  ~TempTrace();

  const std::string &path() const { return File.TmpName; }

private:
  explicit TempTrace(llvm::sys::fs::TempFile File) : File(std::move(File)) {}

  llvm::sys::fs::TempFile File;
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_TEMPTRACE_H
