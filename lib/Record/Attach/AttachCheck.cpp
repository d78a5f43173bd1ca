// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which process a user means, and whether memrec can attach to it.

#include "Attach/AttachCheck.h"
#include "Attach/Attacher.h"
#include "Attach/SafeMoment.h"
#include "Attach/TargetTasks.h"
#include "Attach/TargetThread.h"
#include "Capture/Host/SeccompFilter.h"
#include "Shared/ProcFs.h"
#include "Support/Failure.h"
#include "Wire/LibraryCalls.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <pwd.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static std::string readOf(pid_t Pid, const char *Name) {
  return procfs::readFile("/proc/" + std::to_string(Pid) + "/" + Name);
}

/// A field of /proc/PID/status; empty: there is none.
static std::string statusOf(pid_t Pid, StringRef Field) {
  std::string Text = readOf(Pid, "status");
  for (StringRef Line : split(Text, '\n'))
    if (Line.consume_front(Field) && Line.consume_front(":"))
      return Line.trim().str();
  return "";
}

std::string memkit::processText(pid_t Pid) {
  std::string Name = StringRef(procfs::threadName(Pid, Pid)).trim().str();
  return std::to_string(Pid) + (Name.empty() ? "" : " (" + Name + ")");
}

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

static bool hasName(pid_t Pid, StringRef Name) {
  std::string Arguments = procfs::arguments(Pid);
  SmallString<256> Path;
  if (Name.contains('/'))
    return !sys::fs::real_path(Name, Path) && procfs::exePath(Pid) == Path;
  return StringRef(procfs::threadName(Pid, Pid)).trim() == Name ||
         sys::path::filename(procfs::exePath(Pid)) == Name ||
         sys::path::filename(StringRef(Arguments).split('\0').first) == Name;
}

/// All running processes but this one.
static std::vector<pid_t> allProcesses() {
  std::vector<pid_t> Found;
  DIR *Folder = opendir("/proc");
  while (const dirent *Entry = Folder ? readdir(Folder) : nullptr) {
    pid_t Pid;
    if (!StringRef(Entry->d_name).getAsInteger(10, Pid) && Pid != getpid())
      Found.push_back(Pid);
  }
  if (Folder)
    closedir(Folder);
  return Found;
}

static std::vector<pid_t> processesOf(StringRef Name) {
  std::vector<pid_t> Found = allProcesses();
  erase_if(Found, [&](pid_t Pid) { return !hasName(Pid, Name); });
  return Found;
}

std::vector<pid_t> memkit::descendantsOf(pid_t Pid) {
  std::multimap<pid_t, pid_t> ChildrenOf;
  for (pid_t Child : allProcesses())
    ChildrenOf.emplace(procfs::parentPid(Child), Child);
  std::vector<pid_t> Found{Pid};
  for (size_t I = 0; I != Found.size() && Found.size() <= MaxDescendants; ++I) {
    auto [Begin, End] = ChildrenOf.equal_range(Found[I]);
    for (auto It = Begin; It != End && Found.size() <= MaxDescendants; ++It)
      Found.push_back(It->second);
  }
  Found.erase(Found.begin());
  return Found;
}

Expected<pid_t> memkit::findTarget(StringRef PidOrName) {
  pid_t Pid;
  if (PidOrName.empty())
    return makeError("a process has a number or a name");
  if (!PidOrName.getAsInteger(10, Pid)) {
    if (Pid > 0 && stateOf(Pid, Pid))
      return Pid;
    return makeError("there is no process " + PidOrName);
  }
  std::vector<pid_t> Found = processesOf(PidOrName);
  if (Found.empty())
    return makeError("there is no process with the name '" + PidOrName + "'");
  if (Found.size() == 1)
    return Found[0];
  constexpr size_t MaxShown = 8;
  std::string List;
  for (size_t I = 0; I != std::min(Found.size(), MaxShown); ++I)
    List += (I ? ", " : "") + std::to_string(Found[I]);
  return makeError(Twine(Found.size()) + " processes have the name '" +
                   PidOrName + "': choose one of " + List +
                   (Found.size() > MaxShown ? ", ..." : ""));
}

//===----------------------------------------------------------------------===//
// What stands against it
//===----------------------------------------------------------------------===//

TargetOwner memkit::ownerOf(pid_t Pid) {
  auto Real = [Pid](const char *Field, unsigned &To) {
    std::string Ids = statusOf(Pid, Field);
    // Real, effective, saved and of files.
    if (StringRef(Ids).split('\t').second.split('\t').first.getAsInteger(10,
                                                                         To))
      To = ~0u;
  };
  TargetOwner Owner = {};
  Real("Uid", Owner.User);
  Real("Gid", Owner.Group);
  return Owner;
}

static std::string userName(uid_t User) {
  const passwd *Entry = getpwuid(User);
  return Entry ? Entry->pw_name : "number " + std::to_string(User);
}

/// Who traces the process; 0: nobody. A memrec that has been killed needs a
/// moment to detach.
static pid_t tracerOf(pid_t Pid) {
  constexpr unsigned Turns = 1000, TurnUs = 10'000;
  pid_t By = 0;
  for (unsigned I = 0; I != Turns; ++I) {
    if (StringRef(statusOf(Pid, "TracerPid")).getAsInteger(10, By) || !By)
      return 0;
    if (procfs::threadName(By, By) != TracerName || procfs::parentPid(By) > 1)
      return By;
    usleep(TurnUs);
  }
  return By;
}

static Error checkState(pid_t Pid, const std::string &Text) {
  if (Pid == getpid())
    return makeError("process " + Text + " is memrec itself");
  switch (stateOf(Pid, Pid)) {
  case 'Z':
  case 'X':
    if (tasksOf(Pid).size() > 1)
      return makeError("the main thread of process " + Text +
                       " has ended, and others go on: memrec -p cannot attach "
                       "to such a process");
    return makeError("process " + Text +
                     " has ended, and its parent has not taken its status");
  case 'T':
    return makeError("process " + Text +
                     " is stopped: let it go on first, kill -CONT " +
                     Twine(Pid));
  case 0:
    return makeError("process " + Text + " has ended");
  }
  if (statusOf(Pid, "VmSize").empty())
    return makeError(
        "process " + Text +
        " is a thread of the kernel, which has no memory of its own");
  if (pid_t By = tracerOf(Pid))
    return makeError("process " + Text + " is traced by process " +
                     processText(By) + ": end that first");
  return Error::success();
}

/// Whether the file is an ELF file of 32 bits.
static bool isNarrow(pid_t Pid) {
  int Fd = open(("/proc/" + std::to_string(Pid) + "/exe").c_str(),
                O_RDONLY | O_CLOEXEC);
  char Ident[ELF::EI_NIDENT] = {};
  bool IsElf = Fd >= 0 && read(Fd, Ident, sizeof(Ident)) == sizeof(Ident) &&
               std::memcmp(Ident, ELF::ElfMagic, 4) == 0;
  if (Fd >= 0)
    close(Fd);
  return IsElf && Ident[ELF::EI_CLASS] == ELF::ELFCLASS32;
}

static Error explainRefusal(pid_t Pid, const std::string &Text) {
  TargetOwner Owner = ownerOf(Pid);
  if (Owner.User != geteuid())
    return makeError("process " + Text + " belongs to user " +
                     userName(Owner.User) +
                     ": run memrec as that user, or as root");
  std::string Scope = procfs::readFile("/proc/sys/kernel/yama/ptrace_scope");
  if (!Scope.empty() && Scope[0] != '0')
    return makeError(
        "the kernel lets only root attach to process " + Text +
        " (kernel.yama.ptrace_scope is " + StringRef(Scope).trim() +
        "): run memrec as root or with the capability CAP_SYS_PTRACE, "
        "or set kernel.yama.ptrace_scope to 0, or start the program "
        "with memrec --start=off next time");
  if (geteuid() == 0)
    return makeError("the kernel does not let root attach to process " + Text +
                     ": a security module forbids it, or a container has no "
                     "capability CAP_SYS_PTRACE");
  return makeError("the kernel does not let this user attach to process " +
                   Text +
                   ": run memrec as root, or with the capability "
                   "CAP_SYS_PTRACE");
}

static Error checkRights(pid_t Pid, const std::string &Text) {
  TargetThread T(Pid);
  if (!T.isHeld())
    return errno == ESRCH ? makeError("process " + Text + " has ended")
                          : explainRefusal(Pid, Text);
  return Error::success();
}

/// Whether the filter lets the library's call through; what it does not need
/// may also fail.
static bool allows(const sock_fprog &Filter, const wire::LibraryCall &Call) {
  uint32_t Answer = SECCOMP_RET_ALLOW;
  seccomp_data Data = Call.data(/*At=*/0x700000001000);
  if (!capture::runFilter(Filter, Data, Answer))
    return false;
  Answer &= SECCOMP_RET_ACTION_FULL;
  return Answer == SECCOMP_RET_ALLOW || Answer == SECCOMP_RET_LOG ||
         (Answer == SECCOMP_RET_ERRNO && Call.For == wire::CallNeed::Rare);
}

/// Whether the process's sandbox allows the library's system calls. Errors are
/// the end of a sentence.
static Error checkFilters(pid_t Pid) {
  constexpr const char *Instead = ": start it with memrec instead";
  std::string Mode = statusOf(Pid, "Seccomp");
  if (Mode.empty() || Mode == "0")
    return Error::success();
  if (Mode != "2")
    return makeError(Twine("has given up system calls (seccomp)") + Instead);
  std::string Count = statusOf(Pid, "Seccomp_filters");
  for (const TargetTask &Task : tasksOf(Pid))
    if (statusOf(Task.Tid, "Seccomp_filters") != Count)
      return makeError(Twine("has threads with different seccomp filters") +
                       Instead);
  TargetThread T(Pid);
  constexpr unsigned StopMs = 1'000;
  if (!T.isHeld() || !T.stop(StopMs))
    return makeError("does not stop");
  auto Filters = T.filters();
  if (!Filters)
    return makeError("has a seccomp filter, which memrec cannot see (" +
                     Twine(strerror(errno)) +
                     "): run memrec as root, with the capability "
                     "CAP_SYS_ADMIN");
  for (std::vector<sock_filter> &F : *Filters) {
    sock_fprog Program = {uint16_t(F.size()), F.data()};
    for (ArrayRef<wire::LibraryCall> Calls :
         {ArrayRef(wire::LibraryCalls), ArrayRef(wire::LoadCalls)})
      for (const wire::LibraryCall &Call : Calls)
        if (!allows(Program, Call))
          return makeError(Twine("has a seccomp filter that does not allow ") +
                           Call.Name + ", which the library needs" + Instead);
  }
  return Error::success();
}

static Error checkKind(pid_t Pid, const std::string &Text, bool WithPrivate) {
  if (isNarrow(Pid))
    return makeError("process " + Text +
                     " runs code of 32 bits, and memrec's library has 64");
  if (Error E = checkFilters(Pid))
    return makeError("process " + Text + " " + toString(std::move(E)));
  if (StringRef(statusOf(Pid, "x86_Thread_features")).contains("shstk"))
    return makeError(
        "process " + Text +
        " runs with a shadow stack, which memrec cannot call through");
  Expected<TargetMemory> Memory = TargetMemory::open(Pid);
  if (!Memory)
    return makeError("process " + Text + " " + toString(Memory.takeError()));
  Expected<SafeMoment> Code = SafeMoment::create(*Memory);
  if (!Code)
    return makeError("process " + Text + " " + toString(Code.takeError()));
  if (!Code->sanitizer().empty())
    return makeError("process " + Text + " runs with " + Code->sanitizer() +
                     ", which replaces malloc itself");
  if (Code->hasOwnMalloc() && !WithPrivate)
    return makeError("process " + Text +
                     " has a malloc of its own in its executable, whose calls "
                     "memrec sees only without --no-private");
  return Error::success();
}

Error memkit::checkTarget(pid_t Pid, bool WithPrivate) {
  std::string Text = processText(Pid);
  if (Error E = checkState(Pid, Text))
    return E;
  if (Error E = checkRights(Pid, Text))
    return E;
  return checkKind(Pid, Text, WithPrivate);
}

Error memkit::checkReadable(pid_t Pid) {
  std::string Text = processText(Pid);
  if (statusOf(Pid, "VmSize").empty() || stateOf(Pid, Pid) != 'T')
    if (Error E = checkState(Pid, Text))
      return E;
  if (isNarrow(Pid))
    return makeError("process " + Text +
                     " runs code of 32 bits, which memrec does not know");
  Expected<TargetMemory> Memory = TargetMemory::open(Pid);
  if (Memory)
    return Error::success();
  consumeError(Memory.takeError());
  return explainRefusal(Pid, Text);
}
