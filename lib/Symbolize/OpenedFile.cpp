// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regular files, opened without side effects.

#include "ElfOutline.h"
#include "Support/Failure.h"
#include "llvm/ADT/StringExtras.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

std::string memkit::hexOf(ArrayRef<uint8_t> Bytes) {
  return toHex(Bytes, /*LowerCase=*/true);
}

/// Empty for a regular file, else what the file is.
static StringRef otherKind(mode_t Mode) {
  if (S_ISREG(Mode))
    return "";
  return S_ISDIR(Mode) ? "is a directory" : "is not a regular file";
}

Expected<OpenedFile> OpenedFile::open(StringRef Path) {
  std::string Name = Path.str();
  struct stat Info;
  // Before opening, which may start a device or wait for the writer of a pipe.
  if (stat(Name.c_str(), &Info) != 0)
    return makeError(std::strerror(errno));
  if (StringRef Kind = otherKind(Info.st_mode); !Kind.empty())
    return makeError(Kind);
  int Fd = ::open(Name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (Fd < 0)
    return makeError(std::strerror(errno));
  OpenedFile File(Fd, 0);
  // Path may have become another file.
  if (fstat(Fd, &Info) != 0)
    return makeError(std::strerror(errno));
  if (StringRef Kind = otherKind(Info.st_mode); !Kind.empty())
    return makeError(Kind);
  File.Bytes = uint64_t(Info.st_size);
  return File;
}

OpenedFile::OpenedFile(OpenedFile &&Other) noexcept
    : Fd(std::exchange(Other.Fd, -1)), Bytes(Other.Bytes) {}

OpenedFile::~OpenedFile() {
  if (Fd >= 0)
    close(Fd);
}

Error OpenedFile::read(uint64_t Offset, uint64_t Size, void *Out) const {
  if (Offset > Bytes || Size > Bytes - Offset)
    return makeError("offset " + Twine(Offset) + ": " + Twine(Size) +
                     " bytes are beyond the file's end at " + Twine(Bytes));
  for (uint64_t Done = 0; Done != Size;) {
    ssize_t N = pread(Fd, static_cast<char *>(Out) + Done, Size - Done,
                      off_t(Offset + Done));
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0)
      return failErrno("offset " + Twine(Offset + Done));
    if (N == 0)
      return makeError("offset " + Twine(Offset + Done) +
                       ": the file has become shorter");
    Done += uint64_t(N);
  }
  return Error::success();
}
