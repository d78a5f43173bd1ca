// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text form to trace.

#ifndef MEMKIT_LIB_TRACETEXT_ASSEMBLER_H
#define MEMKIT_LIB_TRACETEXT_ASSEMBLER_H

#include "memkit/Trace/Sink.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"

namespace memkit {

/// An error in a text, with its place. log() prints file, line, column and the
/// line with a caret.
class SyntaxError : public llvm::ErrorInfo<SyntaxError> {
public:
  static char ID;
  explicit SyntaxError(llvm::SMDiagnostic D) : Diagnostic(std::move(D)) {}

  const llvm::SMDiagnostic &diagnostic() const { return Diagnostic; }
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

private:
  llvm::SMDiagnostic Diagnostic;
};

struct AssembleOptions {
  /// Skip checks over several lines, so that tests can make traces that a
  /// reader must refuse.
  bool Unchecked = false;
};

/// The result of assemble().
struct Assembled {
  bool Complete = false; ///< the text ended with `complete`
};

/// Writes the trace of Text (docs/CommandGuide/memas.md) to Out, section by
/// section. Stops at the first error, a SyntaxError or an error of Out; the
/// sections before the error are written.
llvm::Expected<Assembled> assemble(llvm::MemoryBufferRef Text, Sink &Out,
                                   const AssembleOptions &Options = {});

} // namespace memkit

#endif // MEMKIT_LIB_TRACETEXT_ASSEMBLER_H
