// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the processes that the OOM killer has killed.

#include "Shared/MemoryGroup.h"
#include "Shared/ProcFs.h"
#include "llvm/ADT/StringExtras.h"
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// The number after Name at the start of a line; Otherwise if none.
static uint64_t numberOf(StringRef Text, StringRef Name, uint64_t Otherwise) {
  for (StringRef Line : split(Text, '\n')) {
    uint64_t Number;
    if (Line.consume_front(Name) && Line.consume_front(" ") &&
        !Line.trim().getAsInteger(10, Number))
      return Number;
  }
  return Otherwise;
}

MemoryGroup MemoryGroup::own() {
  return MemoryGroup(procfs::readFile("/proc/self/cgroup"), "/sys/fs/cgroup",
                     "/proc/vmstat");
}

/// Uses the line of the controller `memory` (version 1), else the line of the
/// unified hierarchy. A container may see its own group as the root of the
/// mount, although Membership has the full path.
MemoryGroup::MemoryGroup(StringRef Membership, const std::string &Mount,
                         const std::string &Machine)
    : Counts(Machine) {
  for (StringRef Line : split(Membership, '\n')) {
    auto [Number, Rest] = Line.split(':');
    auto [Controllers, Path] = Rest.split(':');
    bool IsFirst = is_contained(split(Controllers, ','), "memory");
    if (!IsFirst && (Number != "0" || !Controllers.empty()))
      continue;
    std::string Top = Mount + (IsFirst ? "/memory" : "");
    const char *Counter = IsFirst ? "/memory.oom_control" : "/memory.events";
    for (std::string Group : {Top + Path.rtrim('/').str(), Top}) {
      if (access((Group + Counter).c_str(), R_OK) != 0)
        continue;
      Counts = Group + Counter;
      Limits.clear();
      // In version 1, memory.stat has the lowest limit of all groups around the
      // group.
      for (; IsFirst ? Limits.empty() : Group.size() > Top.size();
           Group.resize(Group.rfind('/')))
        Limits.push_back(Group + (IsFirst ? "/memory.stat" : "/memory.max"));
      if (Limits.empty())
        Limits.push_back(Top + "/memory.max");
      break;
    }
    if (IsFirst && !Limits.empty())
      return;
  }
}

uint64_t MemoryGroup::kills() const {
  return numberOf(procfs::readFile(Counts), "oom_kill", 0);
}

uint64_t MemoryGroup::limit() const {
  constexpr uint64_t NoLimit = uint64_t(1) << 60;
  uint64_t Min = NoLimit;
  for (const std::string &File : Limits) {
    std::string Text = procfs::readFile(File);
    uint64_t Is = numberOf(Text, "hierarchical_memory_limit", NoLimit);
    if (StringRef(File).ends_with(".max") &&
        StringRef(Text).trim().getAsInteger(10, Is))
      Is = NoLimit;
    Min = std::min(Min, Is);
  }
  return Min == NoLimit ? 0 : Min;
}

uint64_t MemoryGroup::left() const {
  constexpr uint64_t NoLimit = uint64_t(1) << 60;
  uint64_t Min = UINT64_MAX;
  for (const std::string &File : Limits) {
    StringRef Group = StringRef(File).rsplit('/').first;
    bool IsFirst = StringRef(File).ends_with("/memory.stat");
    std::string Stat = procfs::readFile((Group + "/memory.stat").str());
    std::string Usage = procfs::readFile(
        (Group + (IsFirst ? "/memory.usage_in_bytes" : "/memory.current"))
            .str());
    uint64_t Limit = NoLimit, Used;
    if (IsFirst)
      Limit = numberOf(Stat, "hierarchical_memory_limit", NoLimit);
    else if (StringRef(procfs::readFile(File)).trim().getAsInteger(10, Limit))
      continue; // "max"
    if (Limit >= NoLimit || StringRef(Usage).trim().getAsInteger(10, Used))
      continue;
    uint64_t Files =
        numberOf(Stat, IsFirst ? "total_inactive_file" : "inactive_file", 0);
    Used -= std::min(Used, Files);
    Min = std::min(Min, Limit - std::min(Limit, Used));
  }
  return Min;
}
