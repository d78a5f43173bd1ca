// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that the recorder has started, or attached to.

#ifndef MEMKIT_LIB_RECORD_SESSION_PROGRAMPROCESS_H
#define MEMKIT_LIB_RECORD_SESSION_PROGRAMPROCESS_H

#include "Session/PidFd.h"
#include <optional>
#include <string>
#include <sys/wait.h>
#include <utility>

namespace memkit {

/// The program that the recorder has started, a child process of the recorder,
/// and the program's exit status; or a program that ran before, whose status
/// is not known.
class ProgramProcess {
public:
  ProgramProcess() = default;
  ProgramProcess(const ProgramProcess &) = delete;
  ProgramProcess &operator=(const ProgramProcess &) = delete;
  ~ProgramProcess() { closePidFd(); }

  /// Called once, before all other functions. Path: the executable.
  void set(pid_t Process, const std::string &Path) {
    Pid = Process;
    PidFd = openPidFd(Pid);
    Exe = Path;
  }
  /// The program is no child of the recorder. After set().
  void setForeign() { IsForeign = true; }
  pid_t pid() const { return Pid; }
  const std::string &exe() const { return Exe; }
  /// For poll(): readable when the program has ended; -1 after reap().
  int pidFd() const { return PidFd; }

  /// Takes the exit status if the program has ended. Of a program that is no
  /// child only when pidFd() is readable.
  void reap() {
    int Status;
    if (IsForeign) {
      HasEnded = true;
      closePidFd();
      return;
    }
    if (Wait || waitpid(Pid, &Status, WNOHANG) != Pid)
      return;
    Wait = Status;
    closePidFd();
  }
  bool ended() const { return Wait.has_value() || HasEnded; }
  /// As waitpid() reports; -1 before the end, and if unknown.
  int waitStatus() const { return Wait.value_or(-1); }
  /// 128+n when signal n killed the program; 0 before the end.
  int status() const {
    if (!Wait)
      return 0;
    return WIFSIGNALED(*Wait) ? 128 + WTERMSIG(*Wait) : WEXITSTATUS(*Wait);
  }
  /// The signal that killed the program, or 0.
  int signal() const {
    return Wait && WIFSIGNALED(*Wait) ? WTERMSIG(*Wait) : 0;
  }

private:
  void closePidFd() {
    if (PidFd >= 0)
      close(std::exchange(PidFd, -1));
  }

  pid_t Pid = 0;
  int PidFd = -1;
  std::string Exe;
  std::optional<int> Wait;
  bool IsForeign = false, HasEnded = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_PROGRAMPROCESS_H
