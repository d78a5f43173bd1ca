// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a program that runs.

#include "Attach/TargetMemory.h"
#include "Shared/ProcFs.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static std::string pathOf(pid_t Pid, const char *Name) {
  return "/proc/" + std::to_string(Pid) + "/" + Name;
}

Expected<TargetMemory> TargetMemory::open(pid_t Pid) {
  int Fd = ::open(pathOf(Pid, "mem").c_str(), O_RDWR | O_CLOEXEC);
  if (Fd < 0 && (errno == ENOENT || errno == ESRCH))
    return makeError("has ended");
  if (Fd < 0)
    return failErrno("cannot be read");
  return TargetMemory(Pid, Fd);
}

TargetMemory::~TargetMemory() {
  if (Fd >= 0)
    close(Fd);
}

bool TargetMemory::read(uint64_t At, void *To, size_t Bytes) const {
  ssize_t N;
  while ((N = pread(Fd, To, Bytes, off_t(At))) < 0 && errno == EINTR) {
  }
  return N == ssize_t(Bytes);
}

std::vector<uint8_t> TargetMemory::readUpTo(uint64_t At, size_t Bytes) const {
  std::vector<uint8_t> Read(Bytes);
  ssize_t N = pread(Fd, Read.data(), Bytes, off_t(At));
  Read.resize(N > 0 ? size_t(N) : 0);
  return Read;
}

bool TargetMemory::write(uint64_t At, ArrayRef<uint8_t> What) const {
  ssize_t N;
  while ((N = pwrite(Fd, What.data(), What.size(), off_t(At))) < 0 &&
         errno == EINTR) {
  }
  return N == ssize_t(What.size());
}

/// "start-end rwxp offset device inode path"
static bool parseMap(StringRef Line, TargetMap &To) {
  auto [Range, Rest] = Line.split(' ');
  auto [Start, End] = Range.split('-');
  auto [Access, AfterAccess] = Rest.split(' ');
  auto [Offset, AfterOffset] = AfterAccess.split(' ');
  if (Start.getAsInteger(16, To.Start) || End.getAsInteger(16, To.End) ||
      Offset.getAsInteger(16, To.Offset))
    return false;
  To.IsReadable = Access.starts_with("r");
  To.IsExecutable = Access.size() > 2 && Access[2] == 'x';
  auto [Inode, Path] = AfterOffset.split(' ').second.split(' ');
  To.Path = Path.trim().str();
  return !Inode.getAsInteger(10, To.Inode);
}

std::vector<TargetMap> TargetMemory::maps() const {
  std::vector<TargetMap> Maps;
  std::string Text = procfs::readFile(pathOf(Pid, "maps"));
  for (StringRef Line : split(Text, '\n'))
    if (TargetMap M; parseMap(Line, M))
      Maps.push_back(std::move(M));
  return Maps;
}

const TargetMap *memkit::mapAt(ArrayRef<TargetMap> Maps, uint64_t Address) {
  const auto *Found = partition_point(
      Maps, [=](const TargetMap &M) { return M.End <= Address; });
  return Found != Maps.end() && Found->Start <= Address ? Found : nullptr;
}
