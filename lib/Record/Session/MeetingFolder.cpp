// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder where the recorded programs find memrec's socket.

#include "Session/MeetingFolder.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace memkit;

bool memkit::isPreloadable(StringRef Path) {
  return Path.find_first_of(" :$") == StringRef::npos;
}

/// Opens a folder below the root of other files, without following a link of
/// theirs. -1: errno.
static int openBelow(const std::string &Root, StringRef Path) {
  int At = open(Root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  while (At >= 0 && !Path.empty()) {
    auto [First, Rest] = Path.drop_front().split('/');
    int Next = openat(At, First.str().c_str(),
                      O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(At);
    At = Next;
    Path = Rest.empty() ? Rest : StringRef(Rest.data() - 1, Rest.size() + 1);
  }
  return At;
}

/// Whether a library in the folder can be loaded.
static bool canLoadFrom(int Folder) {
  struct statvfs S;
  return fstatvfs(Folder, &S) != 0 || !(S.f_flag & ST_NOEXEC);
}

/// Makes a folder of mode 0700 with a name of its own. False: errno.
static bool makeIn(int Parent, std::string &Name) {
  static constexpr char Digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device Random;
  for (unsigned Turn = 0; Turn != 100; ++Turn) {
    Name = "memrec-";
    for (unsigned I = 0; I != 6; ++I)
      Name += Digits[Random() % (sizeof(Digits) - 1)];
    if (mkdirat(Parent, Name.c_str(), 0700) == 0)
      return true;
    if (errno != EEXIST)
      return false;
  }
  return false;
}

Expected<MeetingFolder> MeetingFolder::make(bool ForOther,
                                            const std::string &Root) {
  MeetingFolder M;
  M.IsElsewhere = !Root.empty();
  const char *Temp = ForOther || M.IsElsewhere ? nullptr : getenv("TMPDIR");
  std::vector<std::string> Bases = {Temp ? Temp : "", "/tmp"};
  if (M.IsElsewhere)
    Bases = {"/tmp", "/var/tmp", "/run", "/dev/shm"};
  std::string Why = "no folder";
  for (const std::string &Base : Bases) {
    if (Base.empty() || Base[0] != '/' || Base.size() > 80 ||
        !isPreloadable(Base))
      continue;
    int Parent = M.IsElsewhere
                     ? openBelow(Root, Base)
                     : open(Base.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool CanLoad = Parent >= 0 && (!M.IsElsewhere || canLoadFrom(Parent));
    if (CanLoad && makeIn(Parent, M.Name)) {
      M.Parent = Parent;
      M.Path = Base + "/" + M.Name;
      M.Fd = openat(Parent, M.Name.c_str(),
                    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      return std::move(M);
    }
    Why = Base + ": " +
          (Parent >= 0 && !CanLoad ? "no library can be loaded from there"
                                   : strerror(errno));
    if (Parent >= 0)
      close(Parent);
  }
  return createStringError(inconvertibleErrorCode(), Why);
}

MeetingFolder::MeetingFolder(MeetingFolder &&O)
    : Parent(std::exchange(O.Parent, -1)), Fd(std::exchange(O.Fd, -1)),
      Path(std::move(O.Path)), Name(std::move(O.Name)),
      IsElsewhere(O.IsElsewhere), Entries(std::move(O.Entries)) {}

MeetingFolder::~MeetingFolder() {
  if (Fd >= 0) {
    for (const std::string &Entry : Entries)
      unlinkat(Fd, Entry.c_str(), 0);
    close(Fd);
  }
  if (Parent >= 0) {
    unlinkat(Parent, Name.c_str(), AT_REMOVEDIR);
    close(Parent);
  }
}

Error MeetingFolder::failed(StringRef Entry) const {
  return failErrno(path(Entry));
}

Error MeetingFolder::bind(int Socket, const char *Entry) {
  sockaddr_un A{};
  A.sun_family = AF_UNIX;
  std::string At = IsElsewhere
                       ? "/proc/self/fd/" + std::to_string(Fd) + "/" + Entry
                       : path(Entry);
  std::memcpy(A.sun_path, At.data(), At.size());
  if (::bind(Socket, reinterpret_cast<sockaddr *>(&A), sizeof(A)) != 0)
    return failed(Entry);
  Entries.push_back(Entry);
  return Error::success();
}

Error MeetingFolder::link(const std::string &To, const char *Entry) {
  if (symlinkat(To.c_str(), Fd, Entry) != 0)
    return failed(Entry);
  Entries.push_back(Entry);
  return Error::success();
}

Error MeetingFolder::copy(const std::string &From, const char *Entry) {
  auto Bytes = MemoryBuffer::getFile(From, /*IsText=*/false,
                                     /*RequiresNullTerminator=*/false);
  if (!Bytes)
    return makeError(From + ": " + Bytes.getError().message());
  int To = openat(Fd, Entry,
                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
  if (To < 0)
    return failed(Entry);
  Entries.push_back(Entry);
  StringRef Rest = (*Bytes)->getBuffer();
  while (!Rest.empty()) {
    ssize_t N = write(To, Rest.data(), Rest.size());
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      break;
    Rest = Rest.drop_front(size_t(N));
  }
  bool IsDone = Rest.empty() && fchmod(To, 0555) == 0;
  Error E = IsDone ? Error::success() : failed(Entry);
  close(To);
  return E;
}

Error MeetingFolder::giveTo(uid_t User, gid_t Group) {
  for (const std::string &Entry : Entries)
    if (fchownat(Fd, Entry.c_str(), User, Group, AT_SYMLINK_NOFOLLOW) != 0)
      return failed(Entry);
  if (fchownat(Fd, "", User, Group, AT_EMPTY_PATH) != 0)
    return failed("");
  return Error::success();
}

void MeetingFolder::keep(StringRef Entry) { erase(Entries, Entry); }
