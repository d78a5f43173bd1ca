// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where recordings listen.

#include "Live/Places.h"
#include "Support/Failure.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <dirent.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static constexpr StringLiteral SharedPrefix = "memkit.";

std::string memkit::sharedName(pid_t Recorder) {
  return SharedPrefix.str() + std::to_string(Recorder);
}

bool memkit::isPrivateFolder(const std::string &Path, uid_t Uid) {
  struct stat S;
  return lstat(Path.c_str(), &S) == 0 && S_ISDIR(S.st_mode) &&
         S.st_uid == Uid && (S.st_mode & 077) == 0;
}

static std::string plainFolder(uid_t Uid) {
  return "/tmp/memkit-" + std::to_string(Uid);
}

/// $XDG_RUNTIME_DIR if it can hold a socket's path.
static std::string runtimeFolder() {
  const char *Text = std::getenv("XDG_RUNTIME_DIR");
  std::string Path = Text ? Text : "";
  return !Path.empty() && Path[0] == '/' && Path.size() < 64 ? Path : "";
}

Expected<std::string> memkit::makeLiveFolder() {
  uid_t Uid = geteuid();
  std::string Runtime = runtimeFolder();
  if (!Runtime.empty() && isPrivateFolder(Runtime, Uid)) {
    Runtime += "/memkit";
    mkdir(Runtime.c_str(), 0700);
    if (isPrivateFolder(Runtime, Uid) && access(Runtime.c_str(), W_OK) == 0)
      return Runtime;
  }
  std::string Folder = plainFolder(Uid);
  mkdir(Folder.c_str(), 0700);
  if (isPrivateFolder(Folder, Uid) && access(Folder.c_str(), W_OK) == 0)
    return Folder;
  Folder += "-XXXXXX";
  if (!mkdtemp(Folder.data()))
    return failErrno(Folder);
  return Folder;
}

/// The names in a folder, sorted; empty if it cannot be read.
static std::vector<std::string> namesIn(const std::string &Folder) {
  std::vector<std::string> Names;
  DIR *D = opendir(Folder.c_str());
  if (!D)
    return Names;
  while (dirent *E = readdir(D))
    Names.emplace_back(E->d_name);
  closedir(D);
  llvm::sort(Names);
  return Names;
}

namespace {
/// A folder of sockets that exists, and its user.
struct LiveFolder {
  std::string Path;
  uid_t Owner;
};
} // namespace

/// The folders of sockets that are private to one of Owners. Root: the root
/// folder as a process has it (`/proc/123/root`), or empty. Runtime: the user's
/// $XDG_RUNTIME_DIR, or empty. Named: the user id in the folders' names, which
/// may be of another namespace.
static std::vector<LiveFolder> liveFolders(StringRef Root, StringRef Runtime,
                                           uid_t Named,
                                           ArrayRef<uid_t> Owners) {
  std::vector<LiveFolder> Out;
  auto Add = [&](const Twine &Path) {
    std::string Folder = (Root + Path).str();
    for (uid_t Owner : Owners)
      if (isPrivateFolder(Folder, Owner))
        Out.push_back({Folder, Owner});
  };
  if (!Runtime.empty())
    Add(Runtime + "/memkit");
  std::string Plain = plainFolder(Named);
  Add(Plain);
  StringRef Name = StringRef(Plain).drop_front(StringRef("/tmp/").size());
  for (const std::string &Each : namesIn((Root + "/tmp").str()))
    if (StringRef(Each).starts_with((Name + "-").str()))
      Add("/tmp/" + Each);
  return Out;
}

std::vector<std::string> memkit::socketsIn(const std::string &Folder) {
  std::vector<std::string> Out;
  for (const std::string &Name : namesIn(Folder)) {
    std::string Path = Folder + "/" + Name;
    struct stat S;
    if (StringRef(Name).ends_with(".sock") && lstat(Path.c_str(), &S) == 0 &&
        S_ISSOCK(S.st_mode))
      Out.push_back(std::move(Path));
  }
  return Out;
}

std::vector<LiveSocket> memkit::socketsOfUser() {
  uid_t Us = geteuid();
  std::string Runtime = runtimeFolder();
  // Tests beside other recordings of the user.
  const char *Only = std::getenv("MEMKIT_RUNTIME_ONLY");
  bool IsAlone = Only && *Only;
  std::vector<LiveSocket> Out;
  for (const LiveFolder &F : liveFolders("", Runtime, Us, {Us})) {
    if (IsAlone && F.Path != Runtime + "/memkit")
      continue;
    for (std::string &Path : socketsIn(F.Path))
      Out.push_back({std::move(Path), F.Owner});
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// From a process to its recording
//===----------------------------------------------------------------------===//

static std::string readProc(pid_t Pid, const char *Name) {
  auto Text = MemoryBuffer::getFileAsStream("/proc/" + std::to_string(Pid) +
                                            "/" + Name);
  return Text ? (*Text)->getBuffer().str() : std::string();
}

/// The numbers of a process: ours, then those of inner namespaces.
static std::vector<pid_t> numbersOf(pid_t Pid) {
  std::vector<pid_t> Out = {Pid};
  std::string Status = readProc(Pid, "status");
  StringRef Line = StringRef(Status).split("\nNSpid:").second.split('\n').first;
  SmallVector<StringRef, 4> Words;
  Line.split(Words, '\t', -1, /*KeepEmpty=*/false);
  for (StringRef Word : Words)
    if (pid_t Inner; to_integer(Word.trim(), Inner, 10) && Inner != Pid)
      Out.push_back(Inner);
  return Out;
}

/// Adds the number of the memrec whose shared memory the process maps.
static void addRecorders(pid_t Pid, std::vector<pid_t> &To) {
  std::string Maps = readProc(Pid, "maps");
  StringRef Rest = Maps;
  const std::string Mark = "/memfd:" + SharedPrefix.str();
  for (size_t At; (At = Rest.find(Mark)) != StringRef::npos;) {
    Rest = Rest.drop_front(At + Mark.size());
    pid_t Recorder;
    StringRef Digits = Rest.take_while([](char C) { return isDigit(C); });
    if (to_integer(Digits, Recorder, 10) && !is_contained(To, Recorder))
      To.push_back(Recorder);
  }
}

/// The value of a variable in the initial environment of a process.
static std::string variableOf(pid_t Pid, StringRef Name) {
  std::string All = readProc(Pid, "environ");
  for (StringRef Each : split(All, '\0'))
    if (Each.consume_front(Name) && Each.consume_front("="))
      return Each.str();
  return "";
}

/// The users that a process may have in its own namespace.
static std::vector<uid_t> usersOf(pid_t Pid) {
  std::vector<uid_t> Out = {geteuid()};
  struct stat S;
  if (stat(("/proc/" + std::to_string(Pid)).c_str(), &S) == 0 &&
      S.st_uid != Out.front())
    Out.push_back(S.st_uid);
  if (!is_contained(Out, 0u))
    Out.push_back(0);
  return Out;
}

/// The users whose folders are asked for a process, as we see them.
static std::vector<uid_t> ownersFor(pid_t Pid) {
  std::vector<uid_t> Out = {geteuid()};
  struct stat S;
  if (Out.front() == 0 &&
      stat(("/proc/" + std::to_string(Pid)).c_str(), &S) == 0 && S.st_uid != 0)
    Out.push_back(S.st_uid);
  return Out;
}

std::vector<LiveSocket> memkit::socketsFor(pid_t Pid) {
  std::vector<pid_t> Numbers = numbersOf(Pid);
  addRecorders(Pid, Numbers);
  std::string Runtime = variableOf(Pid, "XDG_RUNTIME_DIR");
  std::vector<uid_t> Owners = ownersFor(Pid);
  std::vector<LiveSocket> Out;
  for (const std::string &Root :
       {std::string(), "/proc/" + std::to_string(Pid) + "/root"})
    for (uid_t Named : usersOf(Pid))
      for (const LiveFolder &F :
           liveFolders(Root, Runtime.empty() ? runtimeFolder() : Runtime, Named,
                       Owners))
        for (pid_t Number : Numbers) {
          LiveSocket Socket{F.Path + "/" + std::to_string(Number) + ".sock",
                            F.Owner};
          struct stat S;
          if (lstat(Socket.Path.c_str(), &S) == 0 && S_ISSOCK(S.st_mode) &&
              !is_contained(Out, Socket))
            Out.push_back(std::move(Socket));
        }
  return Out;
}
