// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an output goes.

#include "Support/OutputPlace.h"
#include "Support/Failure.h"
#include <climits>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

using namespace llvm;
using namespace memkit;

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

/// The descriptor of this process that a path names.
static std::optional<int> ownDescriptor(StringRef Path) {
  if (Path == "/dev/stdout")
    return STDOUT_FILENO;
  if (Path == "/dev/stderr")
    return STDERR_FILENO;
  int Number;
  if ((Path.consume_front("/dev/fd/") ||
       Path.consume_front("/proc/self/fd/")) &&
      !Path.getAsInteger(10, Number) && Number >= 0)
    return Number;
  return std::nullopt;
}

/// Whether a link may choose where an output goes. Folder: the link's.
static bool mayLead(const struct stat &Link, const struct stat &Folder,
                    bool IsLast) {
  if (Link.st_uid == geteuid() || Link.st_uid == 0)
    return true;
  // On the way, as links of an administrator are; not to the file itself.
  bool IsOwners =
      Link.st_uid == Folder.st_uid || !(Folder.st_mode & (S_IWGRP | S_IWOTH));
  return IsOwners && !IsLast;
}

/// Whether links of this folder lead to open files and folders of processes,
/// which their text does not tell.
static bool isProcFs(int Folder) {
  struct statfs S;
  return fstatfs(Folder, &S) == 0 && S.f_type == PROC_SUPER_MAGIC;
}

Error OutputPlace::refuse(const Twine &Why) const {
  return makeError(Path + ": belongs to another user, " + Why);
}

/// The target of a link.
Expected<std::string> OutputPlace::readLink(const std::string &Part,
                                            const struct stat &Link,
                                            bool IsLast) {
  struct stat In;
  if (fstat(Folder.get(), &In) != 0)
    return failErrno(Path);
  if (!mayLead(Link, In, IsLast))
    return makeError(Path + ": the link '" + Part + "' is another user's (" +
                     Twine(Link.st_uid) +
                     "), and is not followed; name the file itself");
  char Target[PATH_MAX];
  ssize_t Size = readlinkat(Folder.get(), Part.c_str(), Target, sizeof(Target));
  if (Size < 0)
    return failErrno(Path);
  return std::string(Target, size_t(Size));
}

/// Goes into a folder, no link.
Error OutputPlace::enter(const std::string &Part) {
  int Flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  bool Follows = Folder && isProcFs(Folder.get());
  Descriptor Next(openat(Folder ? Folder.get() : AT_FDCWD, Part.c_str(),
                         Follows ? Flags : Flags | O_NOFOLLOW));
  if (!Next)
    return failErrno(Path);
  Folder = std::move(Next);
  return Error::success();
}

/// Goes from the folder along Rest. Result: the rest behind the first link, or
/// nothing at the end.
Expected<std::optional<std::string>> OutputPlace::walk(StringRef Rest) {
  if (Rest.starts_with("/") || !Folder) {
    Folder = Descriptor();
    if (Error E = enter(Rest.starts_with("/") ? "/" : "."))
      return std::move(E);
  }
  for (;;) {
    Rest = Rest.ltrim('/');
    auto [First, After] = Rest.split('/');
    bool IsLast = First.size() == Rest.size();
    std::string Part = First.empty() ? "." : First.str();
    struct stat S;
    bool Exists =
        fstatat(Folder.get(), Part.c_str(), &S, AT_SYMLINK_NOFOLLOW) == 0;
    if (!Exists && (errno != ENOENT || !IsLast))
      return failErrno(Path);
    if (Exists && S_ISLNK(S.st_mode) && !isProcFs(Folder.get())) {
      Expected<std::string> Target = readLink(Part, S, IsLast);
      if (!Target || IsLast)
        return std::move(Target);
      return *Target + "/" + After.str();
    }
    if (IsLast) {
      Name = std::move(Part);
      IsOpenFile = Exists && S_ISLNK(S.st_mode);
      if (Exists)
        Old = S;
      return std::nullopt;
    }
    if (Error E = enter(Part))
      return std::move(E);
    Rest = After;
  }
}

Expected<OutputPlace> OutputPlace::find(StringRef Path) {
  constexpr unsigned MaxLinks = 40; // as in the kernel
  OutputPlace P(Path);
  std::string Rest = Path.str();
  errno = Path.empty() ? ENOENT : ELOOP;
  for (unsigned Links = 0; Links <= MaxLinks && !Rest.empty(); ++Links) {
    P.Own = ownDescriptor(Rest);
    if (P.Own)
      return P;
    Expected<std::optional<std::string>> Next = P.walk(Rest);
    if (!Next)
      return Next.takeError();
    if (!*Next)
      return P;
    Rest = std::move(**Next);
    errno = ELOOP;
  }
  return failErrno(Path);
}

//===----------------------------------------------------------------------===//
// What has the name
//===----------------------------------------------------------------------===//

bool OutputPlace::isOwn() const {
  return Old && S_ISREG(Old->st_mode) && Old->st_uid == geteuid();
}

bool OutputPlace::mayReplace() const {
  struct stat In;
  if (!Old || fstat(Folder.get(), &In) != 0)
    return true;
  uid_t Us = geteuid();
  return Us == 0 || !(In.st_mode & S_ISVTX) || In.st_uid == Us ||
         Old->st_uid == Us;
}

Descriptor OutputPlace::create(const std::string &Name, mode_t Mode) const {
  return Descriptor(openat(Folder.get(), Name.c_str(),
                           O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                           Mode));
}

/// Whether a reader of what is no file may be another user. Devices are root's
/// to make.
static bool isOthersPipe(const struct stat &S) {
  return !S_ISCHR(S.st_mode) && !S_ISBLK(S.st_mode) && !S_ISDIR(S.st_mode) &&
         S.st_uid != geteuid() && S.st_uid != 0;
}

Expected<Descriptor> OutputPlace::open() const {
  if (Own) {
    Descriptor Fd(fcntl(*Own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!Fd)
      return failErrno(Path);
    return Fd;
  }
  // Before opening, which waits for a reader of a pipe; and after that, as the
  // name may mean something else by then.
  if (Old && isOthersPipe(*Old))
    return refuse("who would get the output");
  Descriptor Fd(
      openat(Folder.get(), Name.c_str(),
             O_WRONLY | O_CLOEXEC | O_NOCTTY | (IsOpenFile ? 0 : O_NOFOLLOW)));
  struct stat S;
  if (!Fd || fstat(Fd.get(), &S) != 0)
    return failErrno(Path);
  if (S_ISREG(S.st_mode))
    return makeError(Path + ": is an open file; name the file itself");
  if (isOthersPipe(S))
    return refuse("who would get the output");
  return Fd;
}
