// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file or standard output, whole or not at all.

#ifndef MEMKIT_LIB_CLI_OUTPUTFILE_H
#define MEMKIT_LIB_CLI_OUTPUTFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>

namespace memkit {

/// The error of an output whose reader went away. runTool() is silent about it.
class BrokenPipe : public llvm::ErrorInfo<BrokenPipe> {
public:
  static char ID;
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;
};

/// Where a tool's output goes. A regular file is written under a temporary name
/// and takes its own when keep() succeeds, so that no half-written file is left
/// and an input may be named as output. Standard output, devices and pipes are
/// written as they are.
class OutputFile {
public:
  enum class Content {
    Text,
    Trace, ///< private to the user (0600) unless the file exists; not for a
           ///< terminal
  };

  /// Path: `-` or nothing is standard output.
  static llvm::Expected<std::unique_ptr<OutputFile>>
  open(llvm::StringRef Path, Content C = Content::Text);
  /// Without keep(), removes the temporary file.
  ~OutputFile();

  llvm::raw_ostream &os() { return *Stream; }
  /// For those who write by descriptor (FdSink); not mixed with os().
  int fd() const { return Fd; }
  /// For messages: the path, or `<stdout>`.
  llvm::StringRef name() const { return Name; }

  /// True once writing has failed; a long writer may stop then, keep() says
  /// why.
  bool failed() const { return Stream->has_error(); }

  /// Flushes, closes and checks all of it, and gives the file its name.
  llvm::Error keep();

private:
  OutputFile() = default;
  llvm::Error openPath(llvm::StringRef Path, Content C);

  std::string Name;
  std::string Target; ///< where Temp goes
  std::optional<llvm::sys::fs::TempFile> Temp;
  std::unique_ptr<llvm::raw_fd_ostream> Stream;
  int Fd = -1;
};

} // namespace memkit

#endif // MEMKIT_LIB_CLI_OUTPUTFILE_H
