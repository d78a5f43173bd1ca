// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of one of memkit's tools, whose output is an answer.

#include "ToolRun.h"
#include "Support/Failure.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
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
[[noreturn]] static void runChild(const std::string &Path, char **Argv,
                                  int Output, int Messages) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_DFL); // which this program ignores
  int Null = open("/dev/null", O_RDONLY);
  if (dup2(Null, STDIN_FILENO) < 0 || dup2(Output, STDOUT_FILENO) < 0 ||
      dup2(Messages, STDERR_FILENO) < 0)
    _exit(126);
  execv(Path.c_str(), Argv);
  dprintf(STDERR_FILENO, "%s: %s\n", Path.c_str(), std::strerror(errno));
  _exit(127);
}

Expected<ToolRun> ToolRun::start(StringRef Tool,
                                 ArrayRef<std::string> Arguments) {
  ToolRun R;
  int Ends[2][2];
  for (int I : {0, 1}) {
    if (pipe2(Ends[I], O_CLOEXEC) != 0)
      return makeError(Tool + ": a pipe: " + std::strerror(errno));
    R.Fds[I] = Ends[I][0];
    fcntl(R.Fds[I], F_SETFL, O_NONBLOCK);
  }
  std::string Path = pathOf(Tool);
  std::vector<char *> Argv{Path.data()};
  std::vector<std::string> Own(Arguments.begin(), Arguments.end());
  for (std::string &A : Own)
    Argv.push_back(A.data());
  Argv.push_back(nullptr);
  R.Pid = fork();
  if (R.Pid == 0)
    runChild(Path, Argv.data(), Ends[0][1], Ends[1][1]);
  int Code = R.Pid < 0 ? errno : 0;
  for (int I : {0, 1})
    close(Ends[I][1]);
  if (Code)
    return makeError("a process: " + Twine(std::strerror(Code)));
  return R;
}

ToolRun::ToolRun(ToolRun &&Other)
    : Pid(std::exchange(Other.Pid, -1)), IsCut(Other.IsCut) {
  for (int I : {0, 1}) {
    Fds[I] = std::exchange(Other.Fds[I], -1);
    Texts[I] = std::move(Other.Texts[I]);
  }
}

ToolRun::~ToolRun() {
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

bool ToolRun::take() {
  for (int I : {0, 1}) {
    size_t Max = I ? MaxMessages : MaxOutput;
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
      if (size_t(N) > Room && I == 0) {
        IsCut = true;
        kill();
      }
    }
  }
  return Fds[0] < 0 && Fds[1] < 0;
}

void ToolRun::kill() {
  if (Pid > 0)
    ::kill(Pid, SIGKILL);
}

int ToolRun::finish() {
  if (Pid <= 0)
    return 0;
  int Status = 0;
  while (waitpid(Pid, &Status, 0) < 0 && errno == EINTR)
    ;
  Pid = -1;
  return WIFSIGNALED(Status) ? 128 + WTERMSIG(Status) : WEXITSTATUS(Status);
}
