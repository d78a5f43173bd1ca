// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a file whole or not at all, or standard output.

#include "OutputFile.h"
#include "Messages.h"
#include "memkit/Trace/ReadHeader.h"
#include "llvm/Support/Signals.h"
#include <fcntl.h>
#include <sys/random.h>
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

static bool isPrivate(OutputFile::Content C) {
  return C == OutputFile::Content::Trace || C == OutputFile::Content::Bundle;
}

Error OutputFile::openStandard(Content C) {
  if (isPrivate(C) && isatty(STDOUT_FILENO))
    return makeUsageError("not writing a trace to a terminal; use -o FILE");
  if (C == Content::Machine && isatty(STDOUT_FILENO))
    return makeUsageError("not writing a format for programs to a terminal; "
                          "use -o FILE or a pipe");
  Fd = fcntl(STDOUT_FILENO, F_GETFD) < 0 ? -1 : STDOUT_FILENO;
  return Fd < 0 ? outputError(Name, lastError()) : Error::success();
}

/// The temporary file for a handler of signals.
std::string OutputFile::temporaryPath() const {
  return "/proc/self/fd/" + std::to_string(Place->folder()) + "/" + Temporary;
}

/// Six characters.
static std::string randomSuffix() {
  static constexpr char Characters[] = "0123456789abcdefghijklmnopqrstuv";
  unsigned char Bytes[6] = {};
  (void)!getrandom(Bytes, sizeof(Bytes), GRND_NONBLOCK);
  std::string Out;
  for (unsigned char Byte : Bytes)
    Out += Characters[Byte % 32];
  return Out;
}

Error OutputFile::checkReplaced(Content C) const {
  if (C == Content::Trace || !Place->old() || !readHeader(Place->path()))
    return Error::success();
  return makeError(Name + ": is a trace, which the output would replace; name "
                          "another file");
}

Error OutputFile::makeTemporary(Content C) {
  if (Error E = checkReplaced(C))
    return E;
  bool IsOwn = Place->isOwn();
  if (!Place->mayReplace())
    return Place->refuse("and only that user can replace the file here");
  if (Place->old() &&
      faccessat(Place->folder(), Place->name().c_str(), W_OK, AT_EACCESS) != 0)
    return outputError(Name, lastError());
  // The rights of an own file stay; rights to become its owner are no rights of
  // an output.
  mode_t Kept = IsOwn ? Place->old()->st_mode & 0777 : 0666;
  mode_t Mode = isPrivate(C) ? 0600 : Kept;
  constexpr unsigned MaxTries = 100;
  Descriptor New;
  for (unsigned Try = 0; Try != MaxTries && !New; ++Try) {
    Temporary = Place->name() + ".tmp" + randomSuffix();
    New = Place->create(Temporary, Mode);
    if (!New && errno != EEXIST)
      break;
  }
  if (!New) {
    Temporary.clear();
    return outputError(Name, lastError());
  }
  if (IsOwn && !isPrivate(C))
    (void)fchmod(New.get(), Mode);
  sys::RemoveFileOnSignal(temporaryPath());
  Fd = New.release();
  return Error::success();
}

void OutputFile::removeTemporary() {
  if (Temporary.empty())
    return;
  unlinkat(Place->folder(), Temporary.c_str(), 0);
  sys::DontRemoveFileOnSignal(temporaryPath());
  Temporary.clear();
}

Error OutputFile::openPath(StringRef Path, Content C) {
  bool IsStandard = Path.empty() || Path == "-";
  Name = IsStandard ? "<stdout>" : Path.str();
  if (IsStandard) {
    if (Error E = openStandard(C))
      return E;
  } else {
    Expected<OutputPlace> Found = OutputPlace::find(Path);
    if (!Found)
      return Found.takeError();
    if (Found->isFile()) {
      Place.emplace(std::move(*Found));
      if (Error E = makeTemporary(C))
        return E;
    } else {
      Expected<Descriptor> Opened = Found->open();
      if (!Opened)
        return Opened.takeError();
      Fd = Opened->release();
    }
  }
  Stream = std::make_unique<raw_fd_ostream>(Fd, /*shouldClose=*/false);
  Stream->SetBufferSize(1 << 16);
  return Error::success();
}

OutputFile::~OutputFile() {
  if (Stream) {
    Stream->flush();
    Stream->clear_error();
  }
  removeTemporary();
  if (Fd > STDERR_FILENO)
    close(Fd);
}

Error OutputFile::keep() {
  Stream->flush();
  if (Stream->has_error())
    return outputError(Name, Stream->error());
  int Closing = std::exchange(Fd, -1);
  if (close(Closing) != 0 && errno != EINTR)
    return outputError(Name, lastError());
  if (!Place)
    return Error::success();
  if (renameat(Place->folder(), Temporary.c_str(), Place->folder(),
               Place->name().c_str()) != 0)
    return outputError(Name, lastError());
  sys::DontRemoveFileOnSignal(temporaryPath());
  Temporary.clear();
  return Error::success();
}

} // namespace memkit
