// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which limit of host memory a process has met.

#include "Shared/HostLimits.h"
#include "Shared/ProcFs.h"
#include "llvm/ADT/StringExtras.h"
#include <sys/resource.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// malloc asks the kernel for at least so much: the heap grows by 128 KiB.
static constexpr uint64_t LeastGrowth = 132 << 10;

/// Whether Used bytes and Requested more are above Limit.
static bool exceeds(uint64_t Used, uint64_t Requested, uint64_t Limit) {
  return Used && Limit != HostUse::NoLimit &&
         Used + std::max(Requested, LeastGrowth) > Limit;
}

static MetLimit limitWith(LimitKind Kind, uint64_t Limit, uint64_t Used) {
  return {Kind, Limit, Limit - std::min(Used, Limit)};
}

MetLimit memkit::limitMet(const HostUse &U, uint64_t Requested) {
  if (exceeds(U.AddressSpace, Requested, U.AddressSpaceLimit))
    return limitWith(LimitKind::AddressSpace, U.AddressSpaceLimit,
                     U.AddressSpace);
  if (exceeds(U.Data, Requested, U.DataLimit))
    return limitWith(LimitKind::Data, U.DataLimit, U.Data);
  if (U.IsStrict && exceeds(U.Committed, Requested, U.CommitLimit))
    return limitWith(LimitKind::Machine, U.CommitLimit, U.Committed);
  // The kernel refuses at once what can never be (mm/util.c,
  // __vm_enough_memory).
  if (!U.IsStrict && !U.IsNever && U.Total && Requested > U.Total)
    return limitWith(LimitKind::Machine, U.Total, U.Total - U.Available);
  // The process may have freed memory since, or be gone: what lacked then is
  // not known, but a process rarely has a limit without a need.
  if (U.AddressSpaceLimit != HostUse::NoLimit)
    return {LimitKind::AddressSpace, U.AddressSpaceLimit, std::nullopt};
  if (U.DataLimit != HostUse::NoLimit)
    return {LimitKind::Data, U.DataLimit, std::nullopt};
  return {};
}

void memkit::readMemInfo(StringRef Text, HostUse &U) {
  for (StringRef Line : split(Text, '\n')) {
    auto [Name, Rest] = Line.split(':');
    uint64_t KiB;
    if (Rest.trim().split(' ').first.getAsInteger(10, KiB))
      continue;
    uint64_t Bytes = KiB << 10;
    if (Name == "MemTotal" || Name == "SwapTotal")
      U.Total += Bytes;
    else if (Name == "MemAvailable" || Name == "SwapFree")
      U.Available += Bytes;
    if (Name == "MemTotal")
      U.Ram = Bytes;
    else if (Name == "MemAvailable")
      U.RamAvailable = Bytes;
    else if (Name == "CommitLimit")
      U.CommitLimit = Bytes;
    else if (Name == "Committed_AS")
      U.Committed = Bytes;
  }
  U.Available = std::min(U.Available, U.Total);
  U.RamAvailable = std::min(U.RamAvailable, U.Ram);
}

static void readLimit(pid_t Pid, __rlimit_resource Which, uint64_t &To) {
  rlimit L;
  if (prlimit(Pid, Which, nullptr, &L) == 0)
    To = L.rlim_cur == RLIM_INFINITY ? HostUse::NoLimit : L.rlim_cur;
}

void memkit::readLimits(pid_t Pid, HostUse &U) {
  readLimit(Pid, RLIMIT_AS, U.AddressSpaceLimit);
  readLimit(Pid, RLIMIT_DATA, U.DataLimit);
}

HostUse memkit::readHostUse(pid_t Pid, const HostUse &Before) {
  HostUse U;
  U.AddressSpaceLimit = Before.AddressSpaceLimit;
  U.DataLimit = Before.DataLimit;
  readLimits(Pid, U);
  std::string Text =
      procfs::readFile("/proc/" + std::to_string(Pid) + "/statm");
  SmallVector<StringRef, 8> Fields;
  StringRef(Text).trim().split(Fields, ' ');
  uint64_t Pages, Page = uint64_t(sysconf(_SC_PAGESIZE));
  if (Fields.size() > 5) {
    if (!Fields[0].getAsInteger(10, Pages))
      U.AddressSpace = Pages * Page;
    if (!Fields[5].getAsInteger(10, Pages))
      U.Data = Pages * Page;
  }
  std::string Mode = procfs::readFile("/proc/sys/vm/overcommit_memory");
  U.IsStrict = StringRef(Mode).starts_with("2");
  U.IsNever = StringRef(Mode).starts_with("1");
  readMemInfo(procfs::readFile("/proc/meminfo"), U);
  return U;
}
