// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the kernel's information about a process.

#include "Shared/ProcFs.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <climits>
#include <dirent.h>
#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

using namespace llvm;

namespace memkit::procfs {

static std::string procPath(pid_t Pid, const char *Name) {
  return "/proc/" + std::to_string(Pid) + "/" + Name;
}

std::string readFile(const std::string &Path) {
  std::string Text;
  int Fd = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return Text;
  char Buffer[4096];
  for (ssize_t N; (N = read(Fd, Buffer, sizeof(Buffer))) > 0;)
    Text.append(Buffer, size_t(N));
  close(Fd);
  return Text;
}

std::string arguments(pid_t Pid) { return readFile(procPath(Pid, "cmdline")); }

static std::string readLink(const std::string &Link) {
  char Path[PATH_MAX];
  ssize_t N = readlink(Link.c_str(), Path, sizeof(Path));
  return N > 0 ? std::string(Path, size_t(N)) : std::string();
}

std::string exePath(pid_t Pid) { return readLink(procPath(Pid, "exe")); }

bool seesOurFiles(pid_t Pid) {
  auto IsOurs = [Pid](const char *Name, const std::string &Ours) {
    return !Ours.empty() && Ours == readLink(procPath(Pid, Name));
  };
  static const std::string Mounts = readLink(procPath(getpid(), "ns/mnt")),
                           Root = readLink(procPath(getpid(), "root"));
  return IsOurs("ns/mnt", Mounts) && IsOurs("root", Root);
}

std::string threadName(pid_t Pid, pid_t Tid) {
  std::string Name =
      readFile(procPath(Pid, "task/") + std::to_string(Tid) + "/comm");
  return StringRef(Name).rtrim('\n').str();
}

/// The fields of /proc/PID/stat after the name, from field 3 on.
static SmallVector<StringRef, 64> statFields(StringRef Text) {
  SmallVector<StringRef, 64> Fields;
  size_t NameEnd = Text.rfind(')');
  if (NameEnd != StringRef::npos)
    Text.drop_front(NameEnd + 1).trim().split(Fields, ' ');
  return Fields;
}

/// Whether the process lives in the recorder's namespace of pids.
static bool sharesPids(pid_t Pid) {
  static const std::string Ours = readLink(procPath(getpid(), "ns/pid"));
  return !Ours.empty() && Ours == readLink(procPath(Pid, "ns/pid"));
}

std::vector<pid_t> namespacePids(pid_t Pid) {
  // To read status takes ten times as long.
  if (sharesPids(Pid))
    return {Pid};
  // "NSpid:" and a pid for each namespace, the innermost one last.
  std::string Text = readFile(procPath(Pid, "status"));
  StringRef Line = StringRef(Text).split("\nNSpid:").second.split('\n').first;
  SmallVector<StringRef, 4> Words;
  Line.split(Words, '\t', -1, /*KeepEmpty=*/false);
  std::vector<pid_t> Pids;
  for (StringRef Word : Words)
    if (pid_t Inner; to_integer(Word.trim(), Inner, 10))
      Pids.push_back(Inner);
  return Pids.empty() ? std::vector<pid_t>{Pid} : Pids;
}

/// A field of /proc/PID/stat, numbered as by statFields(); 0: no such field.
static uint64_t statNumber(pid_t Pid, size_t Field) {
  std::string Text = readFile(procPath(Pid, "stat"));
  auto Fields = statFields(Text);
  uint64_t Number = 0;
  if (Field < Fields.size())
    to_integer(Fields[Field], Number, 10);
  return Number;
}

pid_t parentPid(pid_t Pid) { return pid_t(statNumber(Pid, 1)); }

std::optional<int> zombieStatus(pid_t Pid) {
  std::string Text = readFile(procPath(Pid, "stat"));
  auto Fields = statFields(Text);
  int Status;
  // Field 52. A reader without the permission sees 0, so only another status is
  // certain.
  if (Fields.size() < 50 || (Fields[0] != "Z" && Fields[0] != "X") ||
      !to_integer(Fields[49], Status, 10))
    return std::nullopt;
  return Status;
}

std::optional<std::pair<uint64_t, uint64_t>> residentBytes(pid_t Pid) {
  std::string Text = readFile(procPath(Pid, "statm"));
  SmallVector<StringRef, 8> Fields;
  StringRef(Text).split(Fields, ' ');
  uint64_t Resident, Shared;
  if (Fields.size() < 3 || !to_integer(Fields[1], Resident, 10) ||
      !to_integer(Fields[2], Shared, 10) || !Resident)
    return std::nullopt;
  uint64_t Page = uint64_t(sysconf(_SC_PAGESIZE));
  return std::pair(Resident * Page, Shared * Page);
}

std::optional<uint64_t> swappedBytes(pid_t Pid) {
  std::string Text = readFile(procPath(Pid, "status"));
  StringRef Line = StringRef(Text).split("\nVmSwap:").second.ltrim();
  uint64_t Kilobytes = 0;
  if (Line.consumeInteger(10, Kilobytes))
    return std::nullopt;
  return Kilobytes << 10;
}

std::optional<Shares> sharesOf(pid_t Pid) {
  std::string Text = readFile(procPath(Pid, "smaps_rollup"));
  auto Kilobytes = [&Text](StringRef Name) {
    StringRef Line = StringRef(Text).split(Name).second.split('\n').first;
    uint64_t N = 0;
    to_integer(Line.trim().split(' ').first, N, 10);
    return N << 10;
  };
  Shares S;
  S.Pss = Kilobytes("\nPss:");
  S.Private = Kilobytes("\nPrivate_Clean:") + Kilobytes("\nPrivate_Dirty:");
  S.Swapped = Kilobytes("\nSwap:");
  if (!S.Pss)
    return std::nullopt;
  return S;
}

bool mapsMemfd(pid_t Pid, const std::string &Tag) {
  return StringRef(readFile(procPath(Pid, "maps")))
      .contains("/memfd:" + Tag + " ");
}

uint64_t anonymousBytes(pid_t Pid) {
  std::string All = readFile(procPath(Pid, "smaps_rollup"));
  StringRef Rest = StringRef(All).split("\nAnonymous:").second.ltrim();
  uint64_t Kilobytes = 0;
  return Rest.consumeInteger(10, Kilobytes) ? 0 : Kilobytes << 10;
}

bool mapsFile(pid_t Pid, const std::string &Prefix) {
  return StringRef(readFile(procPath(Pid, "maps"))).contains("/" + Prefix);
}

std::string environment(pid_t Pid) {
  return readFile(procPath(Pid, "environ"));
}

bool environHas(pid_t Pid, const std::string &Text) {
  return StringRef(environment(Pid)).contains(Text);
}

uint64_t startTicks(pid_t Pid) { return statNumber(Pid, 19); }

/// The words of a `/proc/PID/task/TID/syscall`: the number, six arguments, the
/// stack pointer and the place; or `running`.
static void addCallArguments(const std::string &Text,
                             std::vector<uint64_t> &To) {
  constexpr size_t NumArguments = 6;
  SmallVector<StringRef, 10> Words;
  StringRef(Text).split(Words, ' ');
  if (Words.size() < 1 + NumArguments)
    return;
  for (StringRef Word : ArrayRef(Words).slice(1, NumArguments))
    if (uint64_t Value; !Word.getAsInteger(0, Value))
      To.push_back(Value);
}

std::vector<uint64_t> callArguments(pid_t Pid) {
  std::vector<uint64_t> Out;
  std::string Tasks = procPath(Pid, "task");
  DIR *Folder = opendir(Tasks.c_str());
  if (!Folder)
    return Out;
  while (dirent *Entry = readdir(Folder))
    if (isDigit(Entry->d_name[0]))
      addCallArguments(readFile(Tasks + "/" + Entry->d_name + "/syscall"), Out);
  closedir(Folder);
  return Out;
}

std::vector<pid_t> startedSince(uint64_t StartTicks) {
  std::vector<pid_t> Pids;
  DIR *Folder = opendir("/proc");
  if (!Folder)
    return Pids;
  while (dirent *Entry = readdir(Folder)) {
    pid_t Pid;
    if (to_integer(StringRef(Entry->d_name), Pid, 10) &&
        startTicks(Pid) >= StartTicks)
      Pids.push_back(Pid);
  }
  closedir(Folder);
  return Pids;
}

pid_t outerPid(pid_t Pid, pid_t Inner) {
  size_t Level = namespacePids(Pid).size() - 1;
  for (pid_t Child : startedSince(startTicks(Pid))) {
    if (Child != Pid && parentPid(Child) != Pid)
      continue;
    std::vector<pid_t> Pids = namespacePids(Child);
    if (Level < Pids.size() && Pids[Level] == Inner)
      return Child;
  }
  return 0;
}

std::string hostName() {
  char Name[256] = {};
  gethostname(Name, sizeof(Name) - 1);
  return Name;
}

std::string bootId() {
  return StringRef(readFile("/proc/sys/kernel/random/boot_id")).trim().str();
}

std::string osName() {
  utsname U;
  if (uname(&U) != 0)
    return "";
  return std::string(U.sysname) + " " + U.release + " " + U.machine;
}

} // namespace memkit::procfs
