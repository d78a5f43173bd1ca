// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts the program.

#include "Launch/Launch.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// Runs in the child; ends by exec or _exit.
[[noreturn]] static void becomeProgram(const Launch::Plan &P, char **Argv,
                                       int Go, int Result) {
  char Byte;
  ssize_t N;
  while ((N = read(Go, &Byte, 1)) < 0 && errno == EINTR) {
  }
  if (N != 1)
    _exit(125);
  if (P.StdoutToStderr)
    dup2(STDERR_FILENO, STDOUT_FILENO);
  execv(P.Path.c_str(), Argv);
  int Error = errno;
  if (Error == ENOEXEC) {
    // A script without an interpreter line: run the shell, as execvp() does.
    std::vector<char *> Shell{const_cast<char *>("/bin/sh"),
                              const_cast<char *>(P.Path.c_str())};
    for (char **A = Argv + 1; *A; ++A)
      Shell.push_back(*A);
    Shell.push_back(nullptr);
    execv(Shell[0], Shell.data());
    Error = errno;
  }
  (void)!write(Result, &Error, sizeof(Error));
  _exit(126);
}

Expected<Launch> Launch::create(const Plan &P) {
  int Go[2], Result[2];
  if (pipe2(Go, O_CLOEXEC) != 0)
    return createStringError(inconvertibleErrorCode(), strerror(errno));
  if (pipe2(Result, O_CLOEXEC) != 0) {
    close(Go[0]);
    close(Go[1]);
    return createStringError(inconvertibleErrorCode(), strerror(errno));
  }
  std::vector<char *> Argv;
  for (const std::string &Arg : P.Command)
    Argv.push_back(const_cast<char *>(Arg.c_str()));
  Argv.push_back(nullptr);
  pid_t Pid = fork();
  if (Pid == 0) {
    close(Go[1]);
    close(Result[0]);
    for (const auto &[Name, Value] : P.Variables)
      setenv(Name.c_str(), Value.c_str(), 1);
    becomeProgram(P, Argv.data(), Go[0], Result[1]);
  }
  int Error = errno;
  close(Go[0]);
  close(Result[1]);
  if (Pid < 0) {
    close(Go[1]);
    close(Result[0]);
    if (Error == EAGAIN) {
      static constexpr char Text[] =
          "memrec: warning: no process may start here: the program runs in "
          "memrec's place, unrecorded\n";
      (void)!write(STDERR_FILENO, Text, sizeof(Text) - 1);
      P.BeforeAlone();
      execv(P.Path.c_str(), Argv.data());
    }
    return createStringError(inconvertibleErrorCode(), "cannot fork: %s",
                             strerror(Error));
  }
  return Launch(Pid, Go[1], Result[0]);
}

Launch::~Launch() {
  if (Go >= 0)
    close(Go);
  if (Result >= 0)
    close(Result);
}

int Launch::go() {
  char Byte = 1;
  (void)!write(Go, &Byte, 1);
  close(std::exchange(Go, -1));
  int Error = 0;
  ssize_t N;
  while ((N = read(Result, &Error, sizeof(Error))) < 0 && errno == EINTR) {
  }
  close(std::exchange(Result, -1));
  return N == ssize_t(sizeof(Error)) ? Error : 0;
}
