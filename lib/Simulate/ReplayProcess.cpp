// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process of memkit-replay.

#include "ReplayProcess.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;
using namespace memkit::wire;

extern char **environ;

static Error cannotStart(const std::string &Program, int Cause) {
  return createStringError(inconvertibleErrorCode(), "%s: cannot start: %s",
                           Program.c_str(), strerror(Cause));
}

/// This environment with the allocator's variables, without the variables that
/// would load or set another allocator, or record the replay.
static std::vector<std::string> environmentOf(const HostAllocator &A) {
  static constexpr StringRef Dropped[] = {
      "LD_PRELOAD=", "GLIBC_TUNABLES=", "MALLOC_",
      "MEMREC_",     "LD_AUDIT=",       "LD_PROFILE="};
  std::vector<std::string> Out;
  for (char **At = environ; *At; ++At)
    if (none_of(Dropped, [&](StringRef Name) {
          return StringRef(*At).starts_with(Name);
        }))
      Out.push_back(*At);
  if (!A.Library.empty())
    Out.push_back("LD_PRELOAD=" + A.Library);
  for (const auto &[Name, Value] : A.Variables)
    Out.push_back(Name + "=" + Value);
  return Out;
}

Expected<ReplayProcess> ReplayProcess::start(const HostAllocator &A,
                                             const HostReplayLimits &Limits) {
  const std::string &Program = Limits.Program;
  int Ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Ends) != 0)
    return cannotStart(Program, errno);
  auto CloseEnd = make_scope_exit([&] { close(Ends[1]); });
  int Messages = memfd_create("memkit-replay", MFD_CLOEXEC);
  ReplayProcess Out(-1, Ends[0], Messages, Limits.StuckNs);
  if (Messages < 0)
    return cannotStart(Program, errno);
  std::vector<std::string> Variables = environmentOf(A);
  std::vector<char *> Environment;
  for (std::string &V : Variables)
    Environment.push_back(V.data());
  Environment.push_back(nullptr);
  char *Arguments[] = {const_cast<char *>(Program.c_str()), nullptr};
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  auto Destroy =
      make_scope_exit([&] { posix_spawn_file_actions_destroy(&Actions); });
  posix_spawn_file_actions_adddup2(&Actions, Messages, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&Actions, Ends[1], ReplaySocket);
  posix_spawn_file_actions_addopen(&Actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&Actions, STDOUT_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  int Cause = posix_spawn(&Out.Pid, Program.c_str(), &Actions, nullptr,
                          Arguments, Environment.data());
  if (Cause) {
    Out.Pid = -1;
    return cannotStart(Program, Cause);
  }
  return std::move(Out);
}

ReplayProcess::~ReplayProcess() {
  if (Pid > 0) {
    kill(Pid, SIGKILL);
    while (waitpid(Pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  for (int Fd : {Socket, Messages})
    if (Fd >= 0)
      close(Fd);
}

/// Waits until the socket is ready.
bool ReplayProcess::await(short Event) {
  uint64_t Ms = divideCeil(StuckNs, 1'000'000);
  int MaxWaitMs = Ms ? int(std::min<uint64_t>(Ms, INT_MAX)) : -1;
  pollfd P = {Socket, Event, 0};
  int N;
  while ((N = poll(&P, 1, MaxWaitMs)) < 0 && errno == EINTR) {
  }
  IsStuck |= N == 0;
  return N > 0;
}

bool ReplayProcess::send(const void *Bytes, size_t Size) {
  const auto *From = static_cast<const char *>(Bytes);
  while (Size) {
    ssize_t Sent = ::send(Socket, From, Size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (Sent < 0 && errno == EINTR)
      continue;
    if (Sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (!await(POLLOUT))
        return false;
      continue;
    }
    if (Sent <= 0)
      return false;
    From += Sent;
    Size -= size_t(Sent);
  }
  return true;
}

bool ReplayProcess::receive(void *Bytes, size_t Size) {
  auto *To = static_cast<char *>(Bytes);
  while (Size) {
    if (!await(POLLIN))
      return false;
    ssize_t Got = recv(Socket, To, Size, MSG_DONTWAIT);
    if (Got < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (Got <= 0)
      return false;
    To += Got;
    Size -= size_t(Got);
  }
  return true;
}

std::string ReplayProcess::readMessages() const {
  char Text[1000];
  ssize_t Size = pread(Messages, Text, sizeof(Text), 0);
  return StringRef(Text, Size > 0 ? size_t(Size) : 0).trim().str();
}

static std::string failureOf(const ReplayOutcome &O) {
  switch (O.State) {
  case ReplayState::Done:
    return "";
  case ReplayState::NoLibrary:
    return "the dynamic linker did not load the library, or the library has no "
           "malloc";
  case ReplayState::TooLarge:
    return "more memory than half of the machine's";
  case ReplayState::NoMemory:
    return "no memory for the tables of the replay";
  case ReplayState::NoThread:
    return "a thread could not be started";
  case ReplayState::Malformed:
    break;
  }
  return "memkit-replay is of another build";
}

HostResult ReplayProcess::finish() {
  HostResult Out;
  ReplayOutcome O;
  bool HasOutcome = receive(&O, sizeof(O)) && O.Magic == ReplayMagic;
  if (HasOutcome) {
    Out.Outcome = O;
    Out.Outcome.Library[sizeof(O.Library) - 1] = 0;
    Out.Outcome.NumPoints = std::min(O.NumPoints, MaxReplayPoints);
    Out.Failure = failureOf(O);
  }
  if (IsStuck)
    kill(Pid, SIGKILL);
  int Status = 0;
  pid_t Ended;
  while ((Ended = waitpid(Pid, &Status, 0)) < 0 && errno == EINTR) {
  }
  Pid = -1;
  Out.Messages = readMessages();
  if (HasOutcome)
    return Out;
  Out.Failure = IsStuck ? "killed: no progress for " + formatTime(StuckNs)
                : Ended > 0 && WIFSIGNALED(Status)
                    ? std::string("killed by signal ") +
                          std::to_string(WTERMSIG(Status)) + " (" +
                          strsignal(WTERMSIG(Status)) + ")"
                    : "ended early, with status " +
                          std::to_string(Ended > 0 ? WEXITSTATUS(Status) : -1);
  return Out;
}
