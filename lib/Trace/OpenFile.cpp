// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the file of a trace.

#include "OpenFile.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace memkit;
using namespace llvm;

static Error failure(StringRef Name, int Number) {
  return makeFileError(Name, sys::StrError(Number));
}

static JobOpener OpenJob = nullptr;
static LiveOpener OpenLive = nullptr;

void memkit::setLiveOpener(LiveOpener Opener) { OpenLive = Opener; }

void memkit::setJobOpener(JobOpener Opener) { OpenJob = Opener; }

/// Whether Name is the process id of a program that is being recorded.
static bool isRecorded(StringRef Name) {
  if (!OpenLive || !all_of(Name, isDigit))
    return false;
  auto Recording = OpenLive("live:" + Name.str());
  bool Is = bool(Recording);
  consumeError(Recording.takeError());
  return Is;
}

static Error failedOpen(const std::string &Name, int Number) {
  if (Number == ENOENT && isRecorded(Name))
    return makeFileError(Name, sys::StrError(Number) +
                                   "; did you mean 'live:" + Name + "'?");
  return failure(Name, Number);
}

Expected<InputFile> InputFile::open(StringRef Path) {
  std::string Name = Path == "-" ? "<stdin>" : Path.str();
  if (OpenLive && isLive(Path)) {
    InputFile F(-1, Name);
    F.Regular = true;
    if (Error E = OpenLive(Path).moveInto(F.Live))
      return std::move(E);
    F.Name = F.Live->name().str();
    return F;
  }
  if (Path == "-")
    return openFd(STDIN_FILENO, Name);
  std::optional<int> Merged;
  if (OpenJob)
    if (Error E = OpenJob(Path).moveInto(Merged))
      return std::move(E);
  int Fd = Merged.value_or(-1);
  if (!Merged) {
    do
      Fd = ::open(Name.c_str(), O_RDONLY | O_CLOEXEC);
    while (Fd < 0 && errno == EINTR);
    if (Fd < 0)
      return failedOpen(Name, errno);
  }
  return openFd(Fd, Name);
}

Expected<InputFile> InputFile::openFd(int Fd, StringRef Name) {
  InputFile F(Fd, Name.str());
  struct stat St;
  if (fstat(Fd, &St) != 0)
    return failure(Name, errno);
  if (S_ISDIR(St.st_mode))
    return failure(Name, EISDIR);
  F.Regular = S_ISREG(St.st_mode);
  return F;
}

InputFile::~InputFile() {
  if (Fd > STDIN_FILENO)
    ::close(Fd);
}

Expected<size_t> InputFile::read(uint8_t *Into, size_t Size) {
  if (Live) {
    size_t Count = std::min<uint64_t>(Size, Live->size() - LiveAt);
    std::vector<uint8_t> Scratch;
    auto Bytes = Live->read(LiveAt, Count, Scratch);
    if (!Bytes)
      return Bytes.takeError();
    llvm::copy(*Bytes, Into);
    LiveAt += Count;
    return Count;
  }
  for (;;) {
    ssize_t N = ::read(Fd, Into, Size);
    if (N >= 0)
      return size_t(N);
    if (errno != EINTR)
      return failure(Name, errno);
  }
}

Error InputFile::spool() {
  SmallString<128> Path;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Path);
  Path += "/memkit-XXXXXX";
  int To = mkostemp(const_cast<char *>(Path.c_str()), O_CLOEXEC);
  if (To < 0)
    return makeFileError(Name, "cannot make a temporary file for what comes "
                               "from the pipe: " +
                                   sys::StrError(errno));
  ::unlink(Path.c_str());
  std::vector<uint8_t> Buffer(1 << 20);
  for (;;) {
    Expected<size_t> N = read(Buffer.data(), Buffer.size());
    if (!N || !*N) {
      if (Fd > STDIN_FILENO)
        ::close(Fd);
      Fd = To;
      return N.takeError();
    }
    for (size_t At = 0; At < *N;) {
      ssize_t W = ::write(To, Buffer.data() + At, *N - At);
      if (W < 0 && errno == EINTR)
        continue;
      if (W < 0) {
        int Number = errno;
        ::close(To);
        return makeFileError(Name, "cannot write a temporary file: " +
                                       sys::StrError(Number));
      }
      At += size_t(W);
    }
  }
}

Expected<std::shared_ptr<const TraceBytes>> InputFile::takeBytes() {
  if (Live)
    return std::move(Live);
  if (!Regular)
    if (Error E = spool())
      return std::move(E);
  struct stat St;
  if (fstat(Fd, &St) != 0)
    return failure(Name, errno);
  // stdin stays open for whoever has it, too.
  int Own = Fd > STDIN_FILENO ? Fd : fcntl(Fd, F_DUPFD_CLOEXEC, 3);
  if (Own < 0)
    return failure(Name, errno);
  Fd = -1;
  return std::make_shared<const TraceBytes>(Own, uint64_t(St.st_size), "",
                                            Name);
}
