// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which PyTorch a process has loaded.

#include "Shared/TorchVersions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

std::string memkit::assignedText(StringRef Source, StringRef Name) {
  constexpr size_t MaxText = 100;
  for (StringRef Line : split(Source, '\n')) {
    if (!Line.consume_front(Name))
      continue;
    // A type may stand between the name and the value.
    auto [Type, Value] = Line.split('=');
    Type = Type.trim();
    Value = Value.trim();
    bool IsOfName = Type.empty() || Type.starts_with(":");
    if (!IsOfName || Value.size() < 2 || Value.front() != Value.back() ||
        (Value.front() != '\'' && Value.front() != '"'))
      continue;
    Value = Value.drop_front().drop_back();
    if (Value.size() <= MaxText && all_of(Value, isPrint))
      return Value.str();
  }
  return "";
}

/// The begin of a regular file; empty: there is none.
static std::string readSource(const char *Path) {
  constexpr size_t MaxBytes = 65536;
  // A program may put a pipe or a device there.
  int Fd = open(Path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (Fd < 0)
    return "";
  std::string Text(MaxBytes, '\0');
  struct stat S;
  ssize_t Bytes = fstat(Fd, &S) == 0 && S_ISREG(S.st_mode)
                      ? pread(Fd, Text.data(), Text.size(), 0)
                      : 0;
  close(Fd);
  Text.resize(size_t(std::max<ssize_t>(Bytes, 0)));
  return Text;
}

std::vector<std::string> memkit::torchVersions(StringRef Library) {
  SmallString<128> File(
      sys::path::parent_path(sys::path::parent_path(Library)));
  sys::path::append(File, "version.py");
  std::string Source = readSource(File.c_str());
  std::vector<std::string> Out;
  if (std::string Version = assignedText(Source, "__version__");
      !Version.empty())
    Out.push_back("torch=" + Version);
  if (std::string Version = assignedText(Source, "cuda"); !Version.empty())
    Out.push_back("cuda=" + Version);
  return Out;
}
