// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the file of a trace.

#ifndef MEMKIT_LIB_TRACE_OPENFILE_H
#define MEMKIT_LIB_TRACE_OPENFILE_H

#include "memkit/Trace/TraceBytes.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>

namespace memkit {

/// Opens what is many traces, as a folder, as one trace: a descriptor of a
/// regular file; nullopt: Path is a file. The rooms above decide what the trace
/// of a folder is; none is set: a folder is an error. Set before any trace is
/// opened; called in any thread.
using JobOpener = llvm::Expected<std::optional<int>> (*)(llvm::StringRef Path);
void setJobOpener(JobOpener Opener);

/// Whether a name of a trace is that of a recording: `live:PID`, `live:`.
inline bool isLive(llvm::StringRef Name) { return Name.starts_with("live:"); }
/// Opens the trace of a recording as of now (Live/LiveTrace.h). None is set:
/// the name is that of a file. Set before any trace is opened; called in any
/// thread.
using LiveOpener =
    llvm::Expected<std::shared_ptr<const TraceBytes>> (*)(llvm::StringRef Name);
void setLiveOpener(LiveOpener Opener);

/// An open file descriptor, closed at the end unless it is stdin.
class InputFile {
public:
  /// `-` is stdin. A recording is what the LiveOpener makes of it, a directory
  /// what the JobOpener does.
  static llvm::Expected<InputFile> open(llvm::StringRef Path);
  /// Takes Fd, an open file.
  static llvm::Expected<InputFile> openFd(int Fd, llvm::StringRef Name);
  InputFile(InputFile &&Other) : Fd(Other.Fd), Name(Other.Name) {
    Other.Fd = -1;
    Regular = Other.Regular;
    Live = std::move(Other.Live);
  }
  InputFile &operator=(InputFile &&) = delete;
  ~InputFile();

  int fd() const { return Fd; }
  bool isRegular() const { return Regular; }
  const std::string &name() const { return Name; }

  /// The bytes of the file, for reading in any order; once. Input that is not a
  /// regular file is first copied to an unlinked temporary file.
  llvm::Expected<std::shared_ptr<const TraceBytes>> takeBytes();
  /// Reads up to Size bytes; 0 at the end.
  llvm::Expected<size_t> read(uint8_t *Into, size_t Size);

private:
  InputFile(int Fd, std::string Name) : Fd(Fd), Name(std::move(Name)) {}
  llvm::Error spool();

  int Fd;
  bool Regular = false;
  std::string Name;
  std::shared_ptr<const TraceBytes> Live; ///< of a recording; then no Fd
  uint64_t LiveAt = 0;                    ///< read() bytes of Live
};

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_OPENFILE_H
