// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of one of memkit's tools, whose output is an answer.

#include "Agents/ToolRun.h"
#include "Support/Failure.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace memkit;

/// The path of a tool in the folder of this program.
static std::string pathOf(StringRef Tool) {
  static int Anchor;
  SmallString<128> Path(
      sys::path::parent_path(sys::fs::getMainExecutable(nullptr, &Anchor)));
  sys::path::append(Path, Tool);
  return Path.str().str();
}

/// Becomes the tool, which ends with this program.
[[noreturn]] static void runChild(const ToolPlan &Plan, const char *Path,
                                  char **Argv, int Output, int Messages) {
  bool IsRecording = Plan.Output == ToolOutput::Begin;
  prctl(PR_SET_PDEATHSIG, IsRecording ? SIGTERM : SIGKILL);
  if (IsRecording)
    setpgid(0, 0); // what the command leaves behind ends with it
  else
    setenv("MEMKIT_CONFIG", "off", 1); // answers are the same everywhere
  std::signal(SIGPIPE, SIG_DFL);       // which this program ignores
  if (Plan.Output == ToolOutput::File) {
    rlimit Most{ToolRun::MaxImport, ToolRun::MaxImport};
    setrlimit(RLIMIT_FSIZE, &Most);
  }
  int Null = open("/dev/null", O_RDONLY);
  if ((!Plan.Folder.empty() && chdir(Plan.Folder.c_str()) != 0) ||
      dup2(Null, STDIN_FILENO) < 0 || dup2(Output, STDOUT_FILENO) < 0 ||
      dup2(Messages, STDERR_FILENO) < 0)
    _exit(126);
  execv(Path, Argv);
  dprintf(STDERR_FILENO, "%s: %s\n", Path, std::strerror(errno));
  _exit(127);
}

Expected<ToolRun> ToolRun::start(const ToolPlan &Plan) {
  ToolRun R;
  R.Output = Plan.Output;
  int Ends[2][2];
  for (int I : {0, 1}) {
    if (pipe2(Ends[I], O_CLOEXEC) != 0)
      return makeError(Plan.Tool + ": a pipe: " + std::strerror(errno));
    R.Fds[I] = Ends[I][0];
    fcntl(R.Fds[I], F_SETFL, O_NONBLOCK);
  }
  std::string Path = pathOf(Plan.Tool);
  std::vector<char *> Argv{Path.data()};
  std::vector<std::string> Own = Plan.Arguments;
  for (std::string &A : Own)
    Argv.push_back(A.data());
  Argv.push_back(nullptr);
  R.Pid = fork();
  if (R.Pid == 0)
    runChild(Plan, Path.c_str(), Argv.data(),
             Plan.Output == ToolOutput::File ? Plan.File : Ends[0][1],
             Ends[1][1]);
  int Code = R.Pid < 0 ? errno : 0;
  for (int I : {0, 1})
    close(Ends[I][1]);
  if (Code)
    return makeError("a process: " + Twine(std::strerror(Code)));
  return R;
}

ToolRun::ToolRun(ToolRun &&Other)
    : Pid(std::exchange(Other.Pid, -1)), Status(Other.Status),
      Output(Other.Output), IsCut(Other.IsCut) {
  for (int I : {0, 1}) {
    Fds[I] = std::exchange(Other.Fds[I], -1);
    Texts[I] = std::move(Other.Texts[I]);
  }
}

ToolRun::~ToolRun() {
  if (Output == ToolOutput::Begin && Pid > 0)
    endRecording();
  kill();
  finish();
  for (int Fd : Fds)
    if (Fd >= 0)
      close(Fd);
}

void ToolRun::addPolls(std::vector<pollfd> &To) const {
  for (int Fd : Fds)
    To.push_back({Fd, POLLIN, 0});
}

size_t ToolRun::maxBytes(int Of) const {
  return Of == 0 && Output == ToolOutput::Kept ? MaxOutput : MaxMessages;
}

bool ToolRun::hasEnded() {
  siginfo_t Info = {};
  if (Pid > 0 &&
      waitid(P_PID, id_t(Pid), &Info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      Info.si_pid == Pid) {
    // Before the number is free for others.
    kill();
    finish();
  }
  return Pid <= 0;
}

void ToolRun::endRecording() {
  // memrec passes the first signal on to its program, and ends at the second.
  constexpr int Tries = 3;
  constexpr useconds_t PieceUs = 20'000, Pieces = 100;
  for (int I = 0; I != Tries && !hasEnded(); ++I) {
    interrupt();
    for (useconds_t Waited = 0; Waited != Pieces && !hasEnded(); ++Waited)
      usleep(PieceUs);
  }
}

bool ToolRun::take() {
  bool IsOver = Output == ToolOutput::Begin && hasEnded();
  for (int I : {0, 1}) {
    size_t Max = maxBytes(I);
    char Piece[65536];
    while (Fds[I] >= 0) {
      ssize_t N = read(Fds[I], Piece, sizeof(Piece));
      if (N < 0 && (errno == EAGAIN || errno == EINTR))
        break;
      if (N <= 0) {
        close(std::exchange(Fds[I], -1));
        break;
      }
      size_t Room = Max - Texts[I].size();
      Texts[I].append(Piece, std::min(size_t(N), Room));
      if (size_t(N) > Room && I == 0 && Output == ToolOutput::Kept) {
        IsCut = true;
        kill();
      }
    }
  }
  return IsOver || (Fds[0] < 0 && Fds[1] < 0);
}

void ToolRun::kill() {
  if (Pid > 0)
    ::kill(Output == ToolOutput::Begin ? -Pid : Pid, SIGKILL);
}

void ToolRun::interrupt() {
  if (Pid > 0)
    ::kill(Pid, SIGTERM);
}

int ToolRun::finish() {
  int Ended = Status.value_or(0);
  if (Pid > 0) {
    while (waitpid(Pid, &Ended, 0) < 0 && errno == EINTR)
      ;
    Pid = -1;
    Status = Ended;
  }
  return WIFSIGNALED(Ended) ? 128 + WTERMSIG(Ended) : WEXITSTATUS(Ended);
}
