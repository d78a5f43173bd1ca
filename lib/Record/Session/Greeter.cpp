// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The socket where new processes ask for their shared memory.

#include "Session/Greeter.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// Whether LD_PRELOAD can hold \p Path unchanged.
static bool isPlain(StringRef Path) {
  return Path.find_first_of(" :$") == StringRef::npos;
}

/// Makes a folder of mode 0700. Its name is short enough for a socket's path in
/// sockaddr_un, and plain enough for LD_PRELOAD.
static Expected<std::string> makeFolder(bool ForOther) {
  const char *Temp = ForOther ? nullptr : std::getenv("TMPDIR");
  std::string Error;
  for (std::string Base :
       {std::string(Temp ? Temp : ""), std::string("/tmp")}) {
    if (Base.empty() || Base[0] != '/' || Base.size() > 80 || !isPlain(Base))
      continue;
    std::string Name = Base + "/memrec-XXXXXX";
    if (mkdtemp(Name.data()))
      return Name;
    Error = Name + ": " + strerror(errno);
  }
  return createStringError(inconvertibleErrorCode(), Error);
}

Greeter::Greeter() : Welcome(getuid()) {}

Error Greeter::giveTo(uid_t User, gid_t Group) {
  for (const std::string &Name : {Path, Folder})
    if (chown(Name.c_str(), User, Group) != 0)
      return failErrno(Name);
  Welcome = User;
  return Error::success();
}

Expected<std::unique_ptr<Greeter>> Greeter::create(bool ForOther) {
  std::unique_ptr<Greeter> G(new Greeter);
  Expected<std::string> Folder = makeFolder(ForOther);
  if (!Folder)
    return Folder.takeError();
  G->Folder = *Folder;
  G->Path = G->Folder + "/s";
  G->Fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (G->Fd < 0)
    return failErrno("socket");
  sockaddr_un A{};
  A.sun_family = AF_UNIX;
  std::memcpy(A.sun_path, G->Path.data(), G->Path.size());
  if (bind(G->Fd, reinterpret_cast<sockaddr *>(&A), sizeof(A)) != 0 ||
      listen(G->Fd, 1024) != 0)
    return failErrno(G->Path);
  return G;
}

Expected<std::string> Greeter::preloadable(StringRef Library) {
  if (isPlain(Library))
    return Library.str();
  auto [To, Name] = Library.rsplit('/');
  if (Link.empty()) {
    Link = Folder + "/lib";
    if (symlink(To.str().c_str(), Link.c_str()) != 0)
      return failErrno(Link);
  }
  return Link + "/" + Name.str();
}

void Greeter::shut() {
  for (const Caller &C : Pending)
    close(C.Connection);
  Pending.clear();
  if (Fd >= 0)
    close(std::exchange(Fd, -1));
}

Greeter::~Greeter() {
  shut();
  if (!Path.empty())
    unlink(Path.c_str());
  if (!Link.empty() && !KeepsLink)
    unlink(Link.c_str());
  if (!Folder.empty())
    rmdir(Folder.c_str());
}

/// Receives the hello of C; true when C is done with.
bool Greeter::hear(const Caller &C, std::vector<Client> &Out) {
  Client G{C.Connection, C.Pid, {}};
  ssize_t N = recv(C.Connection, &G.Hello, sizeof(G.Hello), MSG_DONTWAIT);
  if (N < 0 && (errno == EAGAIN || errno == EINTR))
    return false;
  if (N == ssize_t(sizeof(G.Hello)) && G.Hello.MagicValue == wire::Magic &&
      G.Hello.VersionValue == wire::Version)
    Out.push_back(G);
  else
    close(C.Connection);
  return true;
}

std::vector<Greeter::Client> Greeter::accept() {
  for (;;) {
    int C = accept4(Fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (C < 0)
      break;
    ucred Who{};
    socklen_t Size = sizeof(Who);
    if (getsockopt(C, SOL_SOCKET, SO_PEERCRED, &Who, &Size) != 0 ||
        (Who.uid != getuid() && Who.uid != Welcome) || Who.pid <= 0) {
      close(C);
      continue;
    }
    Pending.push_back({C, Who.pid});
  }
  std::vector<Client> Clients;
  erase_if(Pending, [&](const Caller &C) { return hear(C, Clients); });
  return Clients;
}

void Greeter::answer(const Client &G, uint32_t Process, int Memfd,
                     uint64_t Size) {
  wire::Welcome W;
  W.Process = Memfd >= 0 ? Process : 0;
  W.Size = Size;
  iovec Data{&W, sizeof(W)};
  alignas(cmsghdr) char Room[CMSG_SPACE(sizeof(int))] = {};
  msghdr M{};
  M.msg_iov = &Data;
  M.msg_iovlen = 1;
  if (Memfd >= 0) {
    M.msg_control = Room;
    M.msg_controllen = sizeof(Room);
    cmsghdr *C = CMSG_FIRSTHDR(&M);
    C->cmsg_level = SOL_SOCKET;
    C->cmsg_type = SCM_RIGHTS;
    C->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(C), &Memfd, sizeof(int));
  }
  // The session notices if the process has gone meanwhile.
  (void)!sendmsg(G.Connection, &M, MSG_NOSIGNAL | MSG_DONTWAIT);
  close(G.Connection);
}
