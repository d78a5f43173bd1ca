// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process of memrec that traces programs.

#include "Attach/AttachProcess.h"
#include "Attach/AttachCheck.h"
#include "Support/Failure.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

namespace {
struct AttachCommand {
  pid_t Target;
  bool Attach, Check;
  char Socket[sizeof(wire::AttachRequest::Socket)];
};
struct AttachReply {
  bool IsDone;
  AttachResult Result;
  char Why[1024]; ///< of an error
};
} // namespace

static AttachReply makeReply(Expected<AttachResult> Result) {
  AttachReply Reply = {};
  if (Result) {
    Reply.IsDone = true;
    Reply.Result = *Result;
    return Reply;
  }
  std::string Why = toString(Result.takeError());
  std::memcpy(Reply.Why, Why.data(),
              std::min(Why.size(), sizeof(Reply.Why) - 1));
  return Reply;
}

/// Signals of a terminal are for memrec, which asks for what is to be done.
static void leaveTerminal() {
  setpgid(0, 0);
  for (int Signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE})
    signal(Signal, SIG_IGN);
  int Null = open("/dev/null", O_RDWR);
  for (int Fd = 0; Fd != 3 && Null >= 0; ++Fd)
    dup2(Null, Fd);
  if (Null > 2)
    close(Null);
  prctl(PR_SET_NAME, TracerName);
}

/// A program that was asked for.
struct ServedTarget {
  Attacher By;
  bool MayHaveHooks = false;
};

static Expected<AttachResult> attachTo(ServedTarget &T,
                                       const AttachCommand &C) {
  Expected<AttachResult> R = T.By.attach(C.Socket);
  // What failed half-way may have left hooks; those of another memrec stay.
  T.MayHaveHooks = T.By.hasEntered() && !T.By.wasRecorded();
  if (!R && T.By.wasRecorded()) {
    consumeError(R.takeError());
    AttachResult None;
    None.Processes = 0;
    return None;
  }
  return R;
}

static Expected<AttachResult> serveOne(ServedTarget &T, const AttachCommand &C,
                                       bool WithPrivate) {
  if (!C.Attach) {
    T.MayHaveHooks = false;
    return T.By.detach();
  }
  if (!C.Check)
    return attachTo(T, C);
  if (Error E = checkTarget(C.Target, WithPrivate))
    return std::move(E);
  Expected<AttachResult> R = attachTo(T, C);
  if (R)
    return R;
  return makeError("process " + processText(C.Target) + " " +
                   toString(R.takeError()));
}

/// Serves requests until memrec is gone.
[[noreturn]] static void serve(int Fd, const std::string &Library,
                               bool WithPrivate) {
  leaveTerminal();
  std::map<pid_t, ServedTarget> Targets;
  AttachCommand Command;
  for (;;) {
    ssize_t N = recv(Fd, &Command, sizeof(Command), 0);
    if (N < 0 && errno == EINTR)
      continue;
    if (N != ssize_t(sizeof(Command)))
      break;
    auto It = Targets
                  .try_emplace(Command.Target,
                               ServedTarget{Attacher(Command.Target, Library)})
                  .first;
    AttachReply Reply = makeReply(serveOne(It->second, Command, WithPrivate));
    if (send(Fd, &Reply, sizeof(Reply), MSG_NOSIGNAL) < 0)
      break;
  }
  for (auto &[Pid, T] : Targets)
    if (T.MayHaveHooks)
      consumeError(T.By.detach().takeError());
  _exit(0);
}

Expected<std::unique_ptr<AttachProcess>>
AttachProcess::start(const std::string &Library, bool WithPrivate) {
  int Pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, Pair) != 0)
    return failErrno("socketpair");
  pid_t Pid = fork();
  if (Pid == 0) {
    close(Pair[0]);
    serve(Pair[1], Library, WithPrivate);
  }
  close(Pair[1]);
  if (Pid < 0) {
    Error E = failErrno("cannot fork");
    close(Pair[0]);
    return std::move(E);
  }
  return std::unique_ptr<AttachProcess>(new AttachProcess(Pid, Pair[0]));
}

AttachProcess::~AttachProcess() {
  close(Fd);
  while (waitpid(Pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void AttachProcess::requestAttach(pid_t Target, StringRef Socket, bool Check) {
  AttachCommand Command = {Target, true, Check, {}};
  std::memcpy(Command.Socket, Socket.data(),
              std::min(Socket.size(), sizeof(Command.Socket) - 1));
  (void)!send(Fd, &Command, sizeof(Command), MSG_NOSIGNAL);
}

void AttachProcess::requestDetach(pid_t Target) {
  AttachCommand Command = {Target, false, false, {}};
  (void)!send(Fd, &Command, sizeof(Command), MSG_NOSIGNAL);
}

std::optional<Expected<AttachResult>> AttachProcess::take() {
  AttachReply Reply;
  ssize_t N = recv(Fd, &Reply, sizeof(Reply), MSG_DONTWAIT);
  if (N < 0 && (errno == EAGAIN || errno == EINTR))
    return std::nullopt;
  if (N != ssize_t(sizeof(Reply)))
    return createStringError(
        inconvertibleErrorCode(),
        "may keep memkit's hooks, which do nothing: " + Twine(TracerName) +
            ", memrec's process that attaches, was "
            "killed; the next memrec -p takes them out");
  if (Reply.IsDone)
    return Reply.Result;
  Reply.Why[sizeof(Reply.Why) - 1] = 0;
  return createStringError(inconvertibleErrorCode(), Reply.Why);
}
