// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a file whole or not at all, or standard output.

#ifndef MEMKIT_LIB_CLI_OUTPUTFILE_H
#define MEMKIT_LIB_CLI_OUTPUTFILE_H

#include "Support/OutputPlace.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>

namespace memkit {

/// The error of an output whose reader closed the pipe. runTool() does not
/// report this error.
class BrokenPipe : public llvm::ErrorInfo<BrokenPipe> {
public:
  static char ID;
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;
};

/// A tool's output. A regular file is written under a temporary name; keep()
/// renames the file. So no half-written file remains, a tool may write to its
/// own input, and a file of another user is replaced, never written to.
/// Only a trace replaces a trace: a recording cannot be made again.
/// Standard output, devices and pipes are written directly.
class OutputFile {
public:
  enum class Content {
    Text,
    Trace,   ///< private to the user (0600); not for a terminal
    Bundle,  ///< of traces: as Trace
    Machine, ///< a format for programs; not for a terminal
  };

  /// Path: a file; `-` or an empty path is standard output.
  static llvm::Expected<std::unique_ptr<OutputFile>>
  open(llvm::StringRef Path, Content C = Content::Text);
  /// Without keep(), removes the temporary file.
  ~OutputFile();

  llvm::raw_ostream &os() { return *Stream; }
  /// For callers that write to the descriptor (FdSink); do not mix with os().
  int fd() const { return Fd; }
  /// For messages: the path, or `<stdout>`.
  llvm::StringRef name() const { return Name; }

  /// True after a write failed. A long writer may stop then; keep() returns the
  /// error.
  bool failed() const { return Stream->has_error(); }

  /// Flushes, closes and checks the output, and renames the temporary file.
  llvm::Error keep();

private:
  OutputFile() = default;
  llvm::Error openPath(llvm::StringRef Path, Content C);

  llvm::Error openStandard(Content C);
  llvm::Error checkReplaced(Content C) const;
  llvm::Error makeTemporary(Content C);
  std::string temporaryPath() const;
  void removeTemporary();

  std::string Name;
  std::optional<OutputPlace> Place; ///< of a regular file
  std::string Temporary;            ///< the file's name in Place until keep()
  std::unique_ptr<llvm::raw_fd_ostream> Stream;
  int Fd = -1;
};

} // namespace memkit

#endif // MEMKIT_LIB_CLI_OUTPUTFILE_H
