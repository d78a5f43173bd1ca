// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a program that runs.

#include "Shared/TargetMemory.h"
#include "Shared/ProcFs.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static std::string pathOf(pid_t Pid, const char *Name) {
  return "/proc/" + std::to_string(Pid) + "/" + Name;
}

Expected<TargetMemory> TargetMemory::open(pid_t Pid) {
  TargetMemory M(Pid, ::open(pathOf(Pid, "mem").c_str(), O_RDWR | O_CLOEXEC),
                 ::open(pathOf(Pid, "maps").c_str(), O_RDONLY | O_CLOEXEC), -1);
  if (M.Fd < 0 || M.MapsFd < 0) {
    if (errno == ENOENT || errno == ESRCH)
      return makeError("has ended");
    return failErrno("cannot be read");
  }
  // Some kernels have none.
  M.PagesFd = ::open(pathOf(Pid, "pagemap").c_str(), O_RDONLY | O_CLOEXEC);
  return std::move(M);
}

TargetMemory::~TargetMemory() {
  for (int File : {Fd, MapsFd, PagesFd})
    if (File >= 0)
      close(File);
}

bool TargetMemory::read(uint64_t At, void *To, size_t Bytes) const {
  if (isStopped())
    return false;
  ssize_t N;
  while ((N = pread(Fd, To, Bytes, off_t(At))) < 0 && errno == EINTR) {
  }
  return N == ssize_t(Bytes);
}

std::vector<uint8_t> TargetMemory::readUpTo(uint64_t At, size_t Bytes) const {
  std::vector<uint8_t> Read(Bytes);
  ssize_t N = isStopped() ? 0 : pread(Fd, Read.data(), Bytes, off_t(At));
  Read.resize(N > 0 ? size_t(N) : 0);
  return Read;
}

ArrayRef<uint8_t> TargetMemory::readUpTo(uint64_t At, size_t Bytes,
                                         std::vector<uint8_t> &Buffer) const {
  if (Buffer.size() < Bytes)
    Buffer.resize(Bytes);
  ssize_t N = isStopped() ? 0 : pread(Fd, Buffer.data(), Bytes, off_t(At));
  return {Buffer.data(), N > 0 ? size_t(N) : 0};
}

bool TargetMemory::readAll(ArrayRef<Range> Ranges, uint8_t *To) const {
  constexpr size_t MaxAtOnce = 512; // at most IOV_MAX
  iovec From[MaxAtOnce];
  while (!Ranges.empty()) {
    if (isStopped())
      return false;
    ArrayRef<Range> Now = Ranges.take_front(MaxAtOnce);
    size_t Bytes = 0;
    for (size_t I = 0; I != Now.size(); ++I) {
      From[I] = {reinterpret_cast<void *>(Now[I].Start), Now[I].Bytes};
      Bytes += Now[I].Bytes;
    }
    iovec Into{To, Bytes};
    if (process_vm_readv(Pid, &Into, 1, From, Now.size(), 0) != ssize_t(Bytes))
      return false;
    To += Bytes;
    Ranges = Ranges.drop_front(Now.size());
  }
  return true;
}

bool TargetMemory::write(uint64_t At, ArrayRef<uint8_t> What) const {
  ssize_t N;
  while ((N = pwrite(Fd, What.data(), What.size(), off_t(At))) < 0 &&
         errno == EINTR) {
  }
  return N == ssize_t(What.size());
}

std::vector<uint64_t> TargetMemory::pageMap(uint64_t First,
                                            size_t Pages) const {
  std::vector<uint64_t> Words(Pages);
  ssize_t N = PagesFd < 0 || isStopped()
                  ? -1
                  : pread(PagesFd, Words.data(), Pages * sizeof(uint64_t),
                          off_t(First * sizeof(uint64_t)));
  Words.resize(N > 0 ? size_t(N) / sizeof(uint64_t) : 0);
  return Words;
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
  To.IsWritable = Access.size() > 1 && Access[1] == 'w';
  To.IsShared = Access.ends_with("s");
  To.IsExecutable = Access.size() > 2 && Access[2] == 'x';
  auto [Inode, Path] = AfterOffset.split(' ').second.split(' ');
  To.Path = Path.trim().str();
  return !Inode.getAsInteger(10, To.Inode);
}

std::vector<TargetMap> TargetMemory::maps() const {
  std::vector<TargetMap> Maps;
  std::string Text;
  char Part[64 << 10];
  for (ssize_t N;
       (N = pread(MapsFd, Part, sizeof(Part), off_t(Text.size()))) > 0;)
    Text.append(Part, size_t(N));
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
