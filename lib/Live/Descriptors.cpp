// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages with file descriptors over a UNIX socket.

#include "Live/Descriptors.h"
#include <cassert>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

using namespace llvm;
using namespace memkit;

bool memkit::sendMessage(int Socket, StringRef Text, ArrayRef<int> Fds) {
  assert(Fds.size() <= MaxDescriptors && Text.size() <= MaxMessage);
  iovec Data{const_cast<char *>(Text.data()), Text.size()};
  alignas(cmsghdr) char Room[CMSG_SPACE(sizeof(int) * MaxDescriptors)] = {};
  msghdr M{};
  M.msg_iov = &Data;
  M.msg_iovlen = 1;
  if (!Fds.empty()) {
    size_t Bytes = Fds.size() * sizeof(int);
    M.msg_control = Room;
    M.msg_controllen = CMSG_SPACE(Bytes);
    cmsghdr *C = CMSG_FIRSTHDR(&M);
    C->cmsg_level = SOL_SOCKET;
    C->cmsg_type = SCM_RIGHTS;
    C->cmsg_len = CMSG_LEN(Bytes);
    std::memcpy(CMSG_DATA(C), Fds.data(), Bytes);
  }
  ssize_t N;
  do
    N = sendmsg(Socket, &M, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (N < 0 && errno == EINTR);
  return N == ssize_t(Text.size());
}

/// Owns the descriptors that came with a packet.
static void takeDescriptors(msghdr &M, std::vector<Descriptor> &Out) {
  for (cmsghdr *C = CMSG_FIRSTHDR(&M); C; C = CMSG_NXTHDR(&M, C)) {
    if (C->cmsg_level != SOL_SOCKET || C->cmsg_type != SCM_RIGHTS)
      continue;
    size_t Count = (C->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t I = 0; I != Count; ++I) {
      int Fd;
      std::memcpy(&Fd, CMSG_DATA(C) + I * sizeof(int), sizeof(int));
      Out.emplace_back(Fd);
    }
  }
}

Received memkit::receiveMessage(int Socket, LiveMessage &Out) {
  Out.Text.resize(MaxMessage);
  iovec Data{Out.Text.data(), Out.Text.size()};
  alignas(cmsghdr) char Room[CMSG_SPACE(sizeof(int) * MaxDescriptors)] = {};
  msghdr M{};
  M.msg_iov = &Data;
  M.msg_iovlen = 1;
  M.msg_control = Room;
  M.msg_controllen = sizeof(Room);
  ssize_t N;
  do
    N = recvmsg(Socket, &M, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (N < 0 && errno == EINTR);
  Out.Text.resize(N > 0 ? size_t(N) : 0);
  if (N < 0)
    return errno == EAGAIN ? Received::Nothing : Received::End;
  Out.Fds.clear();
  takeDescriptors(M, Out.Fds);
  bool IsWhole = !(M.msg_flags & (MSG_TRUNC | MSG_CTRUNC));
  return N > 0 && IsWhole ? Received::Packet : Received::End;
}
