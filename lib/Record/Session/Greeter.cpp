// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The socket where new processes ask for their shared memory.

#include "Session/Greeter.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static constexpr char SocketEntry[] = "s", LinkEntry[] = "lib";

Greeter::Greeter(MeetingFolder Of)
    : Welcome(getuid()), Folder(std::move(Of)), Path(Folder.path(SocketEntry)) {
}

Error Greeter::giveTo(uid_t User, gid_t Group) {
  if (Error E = Folder.giveTo(User, Group))
    return E;
  Welcome = User;
  return Error::success();
}

Expected<std::unique_ptr<Greeter>> Greeter::create(bool ForOther,
                                                   const std::string &Root) {
  Expected<MeetingFolder> Folder = MeetingFolder::make(ForOther, Root);
  if (!Folder)
    return Folder.takeError();
  std::unique_ptr<Greeter> G(new Greeter(std::move(*Folder)));
  G->Fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (G->Fd < 0)
    return failErrno("socket");
  if (Error E = G->Folder.bind(G->Fd, SocketEntry))
    return std::move(E);
  if (listen(G->Fd, 1024) != 0)
    return failErrno(G->Path);
  return G;
}

Expected<std::string> Greeter::preloadable(StringRef Library) {
  auto [To, Name] = Library.rsplit('/');
  if (Folder.isElsewhere()) {
    if (Error E = Folder.copy(Library.str(), Name.str().c_str()))
      return std::move(E);
    Libraries.push_back(Name.str());
    return Folder.path(Name);
  }
  if (isPreloadable(Library))
    return Library.str();
  if (Libraries.empty()) {
    if (Error E = Folder.link(To.str(), LinkEntry))
      return std::move(E);
    Libraries.push_back(LinkEntry);
  }
  return Folder.path(LinkEntry) + "/" + Name.str();
}

void Greeter::keepLibraries() {
  for (const std::string &Entry : Libraries)
    Folder.keep(Entry);
}

void Greeter::shut() {
  for (const Caller &C : Pending)
    close(C.Connection);
  Pending.clear();
  if (Fd >= 0)
    close(std::exchange(Fd, -1));
}

Greeter::~Greeter() { shut(); }

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
