// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the recorder for the shared memory.
//
// The program's side of the greeting: sends one message, receives one with the
// descriptor. Closes the socket at the end.

#include "Process.h"

#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>

using namespace memkit;
using namespace memkit::capture;

/// Opens a socket with a number above the standard streams, so that no other
/// thread uses the socket as one; -1 on failure.
static int openSocket() {
  long Fd = sys::call(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (sys::failed(Fd))
    return -1;
  if (Fd > 2)
    return int(Fd);
  long Higher = sys::call(SYS_fcntl, Fd, F_DUPFD_CLOEXEC, 3);
  sys::close(int(Fd));
  return sys::failed(Higher) ? -1 : int(Higher);
}

static bool reach(int Fd) {
  timeval Limit = {GreetMs / 1000, 0};
  for (int Option : {SO_SNDTIMEO, SO_RCVTIMEO})
    sys::call(SYS_setsockopt, Fd, SOL_SOCKET, Option, long(&Limit),
              sizeof(Limit));
  sockaddr_un A = {};
  A.sun_family = AF_UNIX;
  size_t N = strlen(Kept.socketPath());
  if (N >= sizeof(A.sun_path))
    return false;
  memcpy(A.sun_path, Kept.socketPath(), N);
  return !sys::failed(sys::call(SYS_connect, Fd, long(&A), sizeof(A)));
}

/// The descriptor in the answer, or -1.
static int receive(int Fd, wire::Welcome &W) {
  alignas(cmsghdr) char Room[CMSG_SPACE(sizeof(int))];
  iovec Data = {&W, sizeof(W)};
  msghdr M = {};
  M.msg_iov = &Data;
  M.msg_iovlen = 1;
  M.msg_control = Room;
  M.msg_controllen = sizeof(Room);
  long N = sys::call(SYS_recvmsg, Fd, long(&M), MSG_CMSG_CLOEXEC);
  cmsghdr *C = sys::failed(N) ? nullptr : CMSG_FIRSTHDR(&M);
  int Got = -1;
  if (C && C->cmsg_level == SOL_SOCKET && C->cmsg_type == SCM_RIGHTS &&
      C->cmsg_len == CMSG_LEN(sizeof(int)))
    memcpy(&Got, CMSG_DATA(C), sizeof(Got));
  bool Good = N == long(sizeof(W)) && W.MagicValue == wire::Magic &&
              W.VersionValue == wire::Version && W.Process != 0;
  if (Good || Got < 0)
    return Got;
  sys::close(Got);
  return -1;
}

int capture::greet(wire::Welcome &W) {
  int Fd = openSocket();
  if (Fd < 0)
    return -1;
  int Got = -1;
  if (reach(Fd)) {
    wire::Hello H;
    H.Pid = sys::getpid();
    H.ParentProcess = Kept.Process;
    long Sent = sys::call(SYS_sendto, Fd, long(&H), sizeof(H), MSG_NOSIGNAL);
    if (Sent == long(sizeof(H)))
      Got = receive(Fd, W);
  }
  sys::close(Fd);
  return Got;
}
