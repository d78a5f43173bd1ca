// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a file whole or not at all, or standard output.

#include "OutputFile.h"
#include "Support/OutputPath.h"
#include "ToolMain.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace memkit {

char BrokenPipe::ID = 0;
void BrokenPipe::log(raw_ostream &OS) const {
  OS << "the reader closed the pipe";
}
std::error_code BrokenPipe::convertToErrorCode() const {
  return std::make_error_code(std::errc::broken_pipe);
}

static Error outputError(StringRef Name, std::error_code EC) {
  if (EC == std::errc::broken_pipe)
    return make_error<BrokenPipe>();
  return makeError(Name + ": " + EC.message());
}

static std::error_code lastError() {
  return std::error_code(errno, std::generic_category());
}

Expected<std::unique_ptr<OutputFile>> OutputFile::open(StringRef Path,
                                                       Content C) {
  std::unique_ptr<OutputFile> Out(new OutputFile());
  if (Error E = Out->openPath(Path, C))
    return E;
  return Out;
}

/// The permissions of a new file: those of the own file that it replaces, but a
/// trace is for its owner alone.
static mode_t newFileMode(const OutputPlace &Place, OutputFile::Content C) {
  mode_t Mask = umask(0);
  umask(Mask);
  bool KeepsOld = Place.Old && !Place.isForeign();
  mode_t Mode = KeepsOld ? Place.Old->st_mode & 0777 : 0666 & ~Mask;
  return C == OutputFile::Content::Trace ? Mode & 0600 : Mode;
}

Error OutputFile::openPath(StringRef Path, Content C) {
  bool Standard = Path.empty() || Path == "-";
  Name = Standard ? "<stdout>" : Path.str();
  OutputPlace Place;
  if (!Standard)
    if (Error E = placeOfOutput(Name).moveInto(Place))
      return E;
  if (Standard) {
    if (C == Content::Trace && isatty(STDOUT_FILENO))
      return makeUsageError("not writing a trace to a terminal; use -o FILE");
    if (C == Content::Machine && isatty(STDOUT_FILENO))
      return makeUsageError("not writing a format for programs to a terminal; "
                            "use -o FILE or a pipe");
    Fd = fcntl(STDOUT_FILENO, F_GETFD) < 0 ? -1 : STDOUT_FILENO;
  } else if (Place.Old && !S_ISREG(Place.Old->st_mode)) {
    Fd = ::open(Place.Path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    // If Name is a symbolic link, replace the file that the link names.
    Target = Place.Path;
    if (Place.Old && access(Target.c_str(), W_OK) != 0)
      return outputError(Name, lastError());
    auto File = sys::fs::TempFile::create(Target + ".tmp%%%%%%", 0600);
    if (!File)
      return outputError(Name, errorToErrorCode(File.takeError()));
    Temp.emplace(std::move(*File));
    Fd = Temp->FD;
    (void)fchmod(Fd, newFileMode(Place, C));
  }
  if (Fd < 0)
    return outputError(Name, lastError());
  Stream = std::make_unique<raw_fd_ostream>(Fd, /*shouldClose=*/false);
  Stream->SetBufferSize(1 << 16);
  return Error::success();
}

OutputFile::~OutputFile() {
  if (Stream) {
    Stream->flush();
    Stream->clear_error();
  }
  if (Temp)
    consumeError(Temp->discard());
  else if (Fd > STDERR_FILENO)
    close(Fd);
}

Error OutputFile::keep() {
  Stream->flush();
  if (Stream->has_error())
    return outputError(Name, Stream->error());
  if (Temp) {
    // TempFile's own way copies into the target where a rename is refused: into
    // another user's file, in a sticky folder.
    bool IsRenamed = rename(Temp->TmpName.c_str(), Target.c_str()) == 0;
    std::error_code Why = lastError();
    consumeError(IsRenamed ? Temp->keep() : Temp->discard());
    Temp.reset();
    Fd = -1;
    return IsRenamed ? Error::success() : outputError(Name, Why);
  }
  int Closing = std::exchange(Fd, -1);
  if (close(Closing) != 0 && errno != EINTR)
    return outputError(Name, lastError());
  return Error::success();
}

} // namespace memkit
