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
#include <optional>
#include <sys/ioctl.h>
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

namespace {
/// The question PAGEMAP_SCAN to /proc/PID/pagemap, of <linux/fs.h> from Linux
/// 6.7 on; it passes over parts of the address space that have no page table.
struct PageScan {
  struct PageRegion {
    uint64_t Start, End, Categories;
  };
  uint64_t Size, Flags, Start, End, WalkEnd, Regions, NumRegions, MaxPages;
  uint64_t Inverted, AllOf, AnyOf, Returned;
};
constexpr unsigned long ScanPages = _IOWR('f', 16, PageScan);
constexpr uint64_t PageBytes = 4096;
} // namespace

/// As touched(), of kernels that answer; none: this one does not.
static std::optional<std::vector<TargetMemory::Range>>
scanPages(int Fd, uint64_t Begin, uint64_t End, uint64_t &To) {
  constexpr uint64_t IsPresent = 1 << 3, IsSwapped = 1 << 4;
  PageScan::PageRegion Regions[512];
  PageScan Q = {};
  Q.Size = sizeof(Q);
  Q.Start = Begin;
  Q.End = End;
  Q.Regions = reinterpret_cast<uint64_t>(Regions);
  Q.NumRegions = std::size(Regions);
  Q.AnyOf = IsPresent | IsSwapped;
  Q.Returned = IsPresent; // the same for all: regions are as long as possible
  int Count = ioctl(Fd, ScanPages, &Q);
  if (Count < 0)
    return std::nullopt;
  To = Q.WalkEnd;
  std::vector<TargetMemory::Range> Found;
  for (int I = 0; I != Count; ++I)
    Found.push_back({Regions[I].Start, Regions[I].End - Regions[I].Start});
  return Found;
}

/// As touched(), of other kernels: a word for each page.
static std::vector<TargetMemory::Range>
readPageWords(int Fd, uint64_t Begin, uint64_t End, uint64_t &To) {
  constexpr uint64_t MaxBytes = 64 << 20;
  To = std::min(End, Begin + MaxBytes);
  std::vector<uint64_t> Words((To - Begin) / PageBytes);
  ssize_t N = pread(Fd, Words.data(), Words.size() * sizeof(uint64_t),
                    off_t(Begin / PageBytes * sizeof(uint64_t)));
  Words.resize(N > 0 ? size_t(N) / sizeof(uint64_t) : 0);
  std::vector<TargetMemory::Range> Found;
  for (size_t I = 0; I != Words.size(); ++I) {
    uint64_t At = Begin + I * PageBytes;
    if (!(Words[I] >> 62)) // present, or swapped
      continue;
    if (Found.empty() || Found.back().Start + Found.back().Bytes != At)
      Found.push_back({At, 0});
    Found.back().Bytes += PageBytes;
  }
  return Found;
}

std::vector<TargetMemory::Range>
TargetMemory::touched(uint64_t Begin, uint64_t End, uint64_t &To) const {
  To = End;
  if (PagesFd < 0 || isStopped())
    return {};
  uint64_t First = Begin / PageBytes * PageBytes;
  uint64_t Last = (End + PageBytes - 1) / PageBytes * PageBytes;
  std::optional<std::vector<Range>> Found = scanPages(PagesFd, First, Last, To);
  if (!Found)
    Found = readPageWords(PagesFd, First, Last, To);
  To = std::min(To, End);
  if (!Found->empty() && Found->front().Start < Begin) {
    Found->front().Bytes -= Begin - Found->front().Start;
    Found->front().Start = Begin;
  }
  if (!Found->empty() && Found->back().Start + Found->back().Bytes > End)
    Found->back().Bytes = End - Found->back().Start;
  return std::move(*Found);
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
