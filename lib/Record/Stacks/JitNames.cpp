// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of the JIT code of a process.

#include "Stacks/JitNames.h"
#include "Shared/ProcFs.h"
#include "Symbolize/PerfMap.h"
#include <algorithm>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// Time between two looks. RestFactor makes the time longer if a look takes
/// long: a large map that grows all the time takes at most a tenth of a core.
static constexpr std::chrono::seconds LookInterval{1};
static constexpr int RestFactor = 10;

/// File times have a coarser clock than the start of the process.
static constexpr uint64_t ClockSlackNs = 1000000000;

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// Opens the process's /tmp; -1: the recorder's. The descriptor keeps the mount
/// after the last process that sees the mount has ended.
static int openFolder(pid_t Pid) {
  if (procfs::seesOurFiles(Pid))
    return -1;
  return ::open(("/proc/" + std::to_string(Pid) + "/root/tmp").c_str(),
                O_PATH | O_DIRECTORY | O_CLOEXEC);
}

JitPlace::JitPlace(pid_t Pid, pid_t InnerPid, uint64_t StartNs)
    : Folder(openFolder(Pid)),
      File("perf-" + std::to_string(InnerPid) + ".map"), StartNs(StartNs) {}

JitPlace::JitPlace(JitPlace &&Other)
    : Folder(std::exchange(Other.Folder, -1)), File(std::move(Other.File)),
      StartNs(Other.StartNs) {}

JitPlace::~JitPlace() {
  if (Folder >= 0)
    close(Folder);
}

int JitPlace::open(struct stat &Info) const {
  constexpr int Flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  int Fd = Folder >= 0 ? openat(Folder, File.c_str(), Flags)
                       : ::open(("/tmp/" + File).c_str(), Flags);
  if (Fd < 0)
    return -1;
  auto WrittenNs = [&] {
    return uint64_t(Info.st_mtim.tv_sec) * 1000000000 +
           uint64_t(Info.st_mtim.tv_nsec);
  };
  if (fstat(Fd, &Info) == 0 && S_ISREG(Info.st_mode) &&
      (Info.st_uid == 0 || Info.st_uid == geteuid()) &&
      WrittenNs() + ClockSlackNs >= StartNs)
    return Fd;
  close(Fd);
  return -1;
}

//===----------------------------------------------------------------------===//
// The names
//===----------------------------------------------------------------------===//

void JitNames::ask(uint32_t Frame, uint64_t Address) {
  if (Waiting.size() == MaxWaiting)
    return;
  Waiting.emplace_back(Address, Frame);
  HasNew = true;
}

JitNames::Clock::time_point JitNames::nextLook() const {
  return Waiting.empty() ? Clock::time_point::max() : Next;
}

bool JitNames::hasChanged(const struct stat &Now) {
  bool Same = Now.st_ino == Seen.st_ino && Now.st_dev == Seen.st_dev &&
              Now.st_size == Seen.st_size &&
              Now.st_mtim.tv_sec == Seen.st_mtim.tv_sec &&
              Now.st_mtim.tv_nsec == Seen.st_mtim.tv_nsec;
  Seen = Now;
  return !Same;
}

void JitNames::look(
    function_ref<void(uint32_t Frame, const std::string &)> Tell) {
  Clock::time_point Begin = Clock::now();
  struct stat Now;
  int Fd = Waiting.empty() ? -1 : Place.open(Now);
  if (Fd >= 0) {
    bool Changed = hasChanged(Now);
    if (std::exchange(HasNew, false) || Changed)
      read(Fd, Tell);
    close(Fd);
  }
  Clock::time_point End = Clock::now();
  Next =
      End + std::max<Clock::duration>(LookInterval, (End - Begin) * RestFactor);
}

void JitNames::read(
    int Fd, function_ref<void(uint32_t Frame, const std::string &)> Tell) {
  std::sort(Waiting.begin(), Waiting.end());
  std::vector<uint64_t> Addresses;
  Addresses.reserve(Waiting.size());
  for (auto &[Address, Frame] : Waiting)
    Addresses.push_back(Address);
  PerfMapScan Scan(Addresses);
  constexpr size_t PieceBytes = 65536;
  auto Piece = std::make_unique<char[]>(PieceBytes);
  uint64_t Bytes = 0;
  for (ssize_t N;
       Bytes < MaxFileBytes && (N = ::read(Fd, Piece.get(), PieceBytes)) > 0;
       Bytes += uint64_t(N))
    if (!Scan.feed(StringRef(Piece.get(), size_t(N))))
      break;
  size_t Left = 0;
  for (size_t I = 0; I != Waiting.size(); ++I) {
    if (Scan.name(I).empty())
      Waiting[Left++] = Waiting[I];
    else
      Tell(Waiting[I].second, Scan.name(I));
  }
  Waiting.resize(Left);
}
