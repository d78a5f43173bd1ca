// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The resident pages of another process.

#include "Shared/ResidentPages.h"
#include "Shared/ProcFs.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace llvm;

namespace memkit {

namespace {
/// A line of /proc/PID/maps: `begin-end perms offset device inode path`.
struct MapsLine {
  uint64_t Begin = 0, End = 0, Inode = 0;
  bool CanRead = false, CanWrite = false, CanRun = false, IsShared = false;
  StringRef Path;
};
} // namespace

static std::optional<MapsLine> parseLine(StringRef Line) {
  MapsLine L;
  auto [Range, Rest] = Line.split(' ');
  auto [Begin, End] = Range.split('-');
  StringRef Permissions, Inode;
  std::tie(Permissions, Rest) = Rest.split(' ');
  Rest = Rest.split(' ').second.split(' ').second; // offset, device
  std::tie(Inode, L.Path) = Rest.split(' ');
  L.Path = L.Path.trim();
  if (!to_integer(Begin, L.Begin, 16) || !to_integer(End, L.End, 16) ||
      L.Begin >= L.End || !to_integer(Inode, L.Inode, 10) ||
      Permissions.size() < 4)
    return std::nullopt;
  L.CanRead = Permissions[0] == 'r';
  L.CanWrite = Permissions[1] == 'w';
  L.CanRun = Permissions[2] == 'x';
  L.IsShared = Permissions[3] == 's';
  return L;
}

static bool isSharedMemory(const MapsLine &L) {
  return L.Path.starts_with("/dev/shm/") || L.Path.starts_with("/memfd:") ||
         L.Path.starts_with("/SYSV") || L.Path.starts_with("/dev/zero");
}

static ResidentRange::RangeKind kindOf(const MapsLine &L, StringRef RecorderTag,
                                       const DenseSet<uint64_t> &Modules) {
  StringRef Memfd = L.Path;
  if (Memfd.consume_front("/memfd:") && !RecorderTag.empty() &&
      Memfd.starts_with(RecorderTag))
    return ResidentRange::Recorder;
  if (L.Path.ends_with("/libmemrec.so"))
    return ResidentRange::Recorder;
  if (L.Path == "[heap]")
    return ResidentRange::Break;
  if (L.Path == "[stack]")
    return ResidentRange::MainStack;
  if (isSharedMemory(L))
    return ResidentRange::SharedMemory;
  if (L.Path.starts_with("/dev/"))
    return ResidentRange::Driver;
  if (L.Path.empty() || L.Path.starts_with("[anon"))
    return ResidentRange::Anonymous;
  if (L.Path.starts_with("["))
    return ResidentRange::Module; // the vdso
  return Modules.contains(L.Inode) ? ResidentRange::Module
                                   : ResidentRange::File;
}

std::vector<ResidentRange> readMaps(StringRef Text, StringRef RecorderTag,
                                    std::vector<std::string> &Files) {
  std::vector<MapsLine> Lines;
  StringMap<uint32_t> Known;
  Files.assign(1, "");
  DenseSet<uint64_t> Modules; ///< files with code
  for (StringRef Line : split(Text, '\n'))
    if (std::optional<MapsLine> L = parseLine(Line)) {
      // The vsyscall page belongs to the kernel.
      if (L->Path == "[vsyscall]")
        continue;
      if (L->CanRun && L->Inode)
        Modules.insert(L->Inode);
      Lines.push_back(*L);
    }
  std::vector<ResidentRange> Ranges;
  for (const MapsLine &L : Lines) {
    ResidentRange R;
    // The kernel gives the list in pieces; a mapping that grows meanwhile may
    // be in two of them.
    R.Begin = Ranges.empty() ? L.Begin : std::max(L.Begin, Ranges.back().End);
    R.End = L.End;
    if (R.Begin >= R.End)
      continue;
    R.Kind = kindOf(L, RecorderTag, Modules);
    R.IsReserved = !L.CanRead && !L.CanWrite && !L.CanRun;
    if (L.Path.starts_with("/")) {
      auto [It, New] = Known.try_emplace(L.Path, Files.size());
      if (New)
        Files.push_back(L.Path.str());
      R.OfFile = It->second;
    }
    // Zeroed data follow the data of their binary, without a file.
    const MapsLine *Before = &L == Lines.data() ? nullptr : &L - 1;
    if (R.Kind == ResidentRange::Anonymous && L.CanWrite && !Ranges.empty() &&
        Ranges.back().isOfBinary() && Before->End == L.Begin &&
        Before->CanWrite && Before->Inode && !Before->IsShared) {
      R.Kind = Ranges.back().Kind;
      R.OfFile = Ranges.back().OfFile;
    }
    // madvise(MADV_HUGEPAGE) splits the heap, which stays one arena.
    if (R.Kind == ResidentRange::Break && !Ranges.empty() &&
        Ranges.back().Kind == R.Kind && Ranges.back().End == R.Begin &&
        Ranges.back().IsReserved == R.IsReserved)
      Ranges.back().End = R.End;
    else
      Ranges.push_back(R);
  }
  return Ranges;
}

/// Bits of an entry of pagemap: Documentation/admin-guide/mm/pagemap.rst of
/// Linux.
static constexpr uint64_t Present = 1ull << 63, Swapped = 1ull << 62,
                          OfFile = 1ull << 61, Exclusive = 1ull << 56;

static uint8_t bitsOf(uint64_t Entry, bool MayShare) {
  if (Entry & Swapped)
    return PB_Swapped;
  if (!(Entry & Present))
    return 0;
  if (Entry & OfFile)
    return PB_Resident | PB_OfFile;
  if (Entry & Exclusive)
    return PB_Resident;
  return MayShare ? PB_Resident | PB_Shared : 0;
}

static bool readPages(int Fd, const ResidentRange &R, bool MayShare,
                      MutableArrayRef<uint64_t> Entries, ResidentPages &To) {
  uint64_t Page = R.Begin / To.PageBytes, Last = R.End / To.PageBytes;
  while (Page != Last) {
    size_t Count = size_t(std::min<uint64_t>(Entries.size(), Last - Page));
    ssize_t Got = pread(Fd, Entries.data(), Count * sizeof(uint64_t),
                        off_t(Page * sizeof(uint64_t)));
    if (Got <= 0)
      return false;
    size_t Read = size_t(Got) / sizeof(uint64_t), At = To.Pages.size();
    To.Pages.resize(At + Read);
    for (size_t I = 0; I != Read; ++I)
      To.Pages[At + I] = bitsOf(Entries[I], MayShare);
    Page += Read;
  }
  return true;
}

/// Whether the process has an arena's piece at Begin. A piece starts with
/// heap_info: the addresses of the arena's malloc_state, which is in the first
/// piece, and of the piece before, then its size.
static bool readArena(pid_t Pid, uint64_t Begin, ArenaPiece &To) {
  struct {
    uint64_t State, Before, Size;
  } Info;
  iovec Here = {&Info, sizeof(Info)},
        There = {reinterpret_cast<void *>(Begin), sizeof(Info)};
  if (process_vm_readv(Pid, &Here, 1, &There, 1, 0) != ssize_t(sizeof(Info)))
    return false;
  To.Begin = Begin;
  To.Arena = ArenaPiece::beginOf(Info.State);
  To.Before = Info.Before;
  constexpr uint64_t MaxInfo = 256; // heap_info is 48 bytes at most
  bool IsFirst = To.Arena == Begin;
  return Info.State - To.Arena >= sizeof(Info) &&
         Info.State - To.Arena < MaxInfo && Info.Size &&
         Info.Size <= ArenaPiece::MaxBytes && Info.Size % 4096 == 0 &&
         IsFirst == !Info.Before && ArenaPiece::beginOf(To.Before) == To.Before;
}

static void findArenas(pid_t Pid, ResidentPages &In) {
  for (const ResidentRange &R : In.Ranges) {
    if (R.Kind != ResidentRange::Anonymous || R.IsReserved)
      continue;
    uint64_t At = ArenaPiece::beginOf(R.Begin + ArenaPiece::MaxBytes - 1);
    ArenaPiece Found;
    for (; At < R.End; At += ArenaPiece::MaxBytes)
      if (readArena(Pid, At, Found))
        In.Arenas.push_back(Found);
  }
}

std::optional<ResidentPages>
ResidentPages::read(pid_t Pid, StringRef RecorderTag, bool MayShare) {
  std::string Folder = "/proc/" + std::to_string(Pid) + "/";
  int Fd = open((Folder + "pagemap").c_str(), O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return std::nullopt;
  auto Close = make_scope_exit([Fd] { close(Fd); });
  ResidentPages P;
  P.PageBytes = uint64_t(sysconf(_SC_PAGESIZE));
  P.Ranges = readMaps(procfs::readFile(Folder + "maps"), RecorderTag, P.Files);
  if (P.Ranges.empty())
    return std::nullopt;
  // 16 MiB of a range at a time: a larger buffer would be mapped anew, and
  // cleared, for each sample.
  std::vector<uint64_t> Entries(4096);
  for (ResidentRange &R : P.Ranges) {
    R.FirstPage = P.Pages.size();
    if (R.IsReserved)
      continue;
    if (P.Pages.size() + (R.End - R.Begin) / P.PageBytes > MaxPages) {
      P.SkippedBytes += R.End - R.Begin;
      R.IsReserved = true;
      continue;
    }
    if (!readPages(Fd, R, MayShare, Entries, P))
      return std::nullopt;
  }
  findArenas(Pid, P);
  return P;
}

const ResidentRange *ResidentPages::find(uint64_t Address) const {
  auto After = partition_point(
      Ranges, [Address](const ResidentRange &R) { return R.Begin <= Address; });
  if (After == Ranges.begin())
    return nullptr;
  const ResidentRange &R = *std::prev(After);
  return Address < R.End && !R.IsReserved ? &R : nullptr;
}

} // namespace memkit
