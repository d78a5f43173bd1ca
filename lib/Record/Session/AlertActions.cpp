// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an alert does beside its mark.

#include "Session/AlertActions.h"
#include "Session/ChildList.h"
#include "Session/RecordingControl.h"
#include "Session/Requests.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

using ActionKind = AlertAction::ActionKind;

/// The number of `TERM`, `SIGTERM` or `15`; 0: there is none.
static int signalOf(StringRef Name) {
  struct KnownSignal {
    StringLiteral Name;
    int Number;
  };
  static constexpr KnownSignal Known[] = {{"ABRT", SIGABRT}, {"CONT", SIGCONT},
                                          {"HUP", SIGHUP},   {"INT", SIGINT},
                                          {"KILL", SIGKILL}, {"QUIT", SIGQUIT},
                                          {"STOP", SIGSTOP}, {"TERM", SIGTERM},
                                          {"USR1", SIGUSR1}, {"USR2", SIGUSR2}};
  int Number = 0;
  if (!Name.getAsInteger(10, Number))
    return Number > 0 && Number < NSIG ? Number : 0;
  Name.consume_front("SIG");
  for (const KnownSignal &S : Known)
    if (S.Name == Name)
      return S.Number;
  return 0;
}

Expected<AlertAction> memkit::parseAlertAction(StringRef Text) {
  AlertAction A;
  StringRef Rest = Text;
  if (Text == "snapshot") {
    A.Kind = ActionKind::Snapshot;
    return A;
  }
  if (Text == "stop") {
    A.Kind = ActionKind::Stop;
    return A;
  }
  if (Text == "holders") {
    A.Kind = ActionKind::Holders;
    return A;
  }
  if (Rest.consume_front("signal:")) {
    A.Kind = ActionKind::Signal;
    A.Signal = signalOf(Rest);
    if (A.Signal)
      return A;
  } else if (Rest.consume_front("exec:")) {
    A.Kind = ActionKind::Exec;
    SmallVector<StringRef> Words;
    Rest.split(Words, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef Word : Words)
      A.Command.push_back(Word.str());
    if (!A.Command.empty())
      return A;
  }
  return makeRequestError(
      "'" + Text +
      "' is not one of snapshot, stop, holders, signal:NAME "
      "(such as signal:TERM), exec:COMMAND");
}

pid_t AlertActions::programPid() const {
  for (const ChildProcess &P : Children)
    if (!P.EndNs && !P.Exit.IsEnding)
      return P.Pid;
  return 0;
}

std::string AlertActions::start(const AlertAction &A, const AlertFacts &F) {
  if (Running)
    return A.Command.front() + ": still runs for an alert before this one";
  std::vector<std::string> Variables = {
      "MEMREC_ALERT=" + F.What,
      "MEMREC_ALERT_TEXT=" + F.Text,
      "MEMREC_ALERT_VALUE=" + F.Value,
      "MEMREC_ALERT_BOUND=" + F.Bound,
      "MEMREC_ALERT_TIME_NS=" + std::to_string(F.TimeNs),
      "MEMREC_ALERT_PID=" + std::to_string(programPid()),
      "MEMREC_ALERT_RECORDER=" + std::to_string(getpid()),
      "MEMREC_ALERT_TRACE=" + Trace};
  std::vector<char *> Environment, Argv;
  for (char **At = environ; *At; ++At)
    Environment.push_back(*At);
  for (std::string &V : Variables)
    Environment.push_back(V.data());
  Environment.push_back(nullptr);
  std::vector<std::string> Words = A.Command;
  for (std::string &Word : Words)
    Argv.push_back(Word.data());
  Argv.push_back(nullptr);
  posix_spawn_file_actions_t Files;
  posix_spawn_file_actions_init(&Files);
  posix_spawn_file_actions_addopen(&Files, STDIN_FILENO, "/dev/null", O_RDONLY,
                                   0);
  // The output of the trace is not for the command.
  posix_spawn_file_actions_adddup2(&Files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t How;
  posix_spawnattr_init(&How);
  sigset_t None, All;
  sigemptyset(&None);
  sigfillset(&All);
  posix_spawnattr_setsigmask(&How, &None);
  posix_spawnattr_setsigdefault(&How, &All);
  posix_spawnattr_setflags(&How,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int Problem = posix_spawnp(&Running, Argv[0], &Files, &How, Argv.data(),
                             Environment.data());
  posix_spawnattr_destroy(&How);
  posix_spawn_file_actions_destroy(&Files);
  if (!Problem)
    return "";
  Running = 0;
  return A.Command.front() + ": " + strerror(Problem);
}

std::vector<std::string> AlertActions::run(const AlertFacts &F) {
  std::vector<std::string> Problems;
  for (const AlertAction &A : Actions) {
    switch (A.Kind) {
    case ActionKind::Snapshot:
      Control.writeNow();
      break;
    case ActionKind::Holders:
      Control.askHolders();
      break;
    case ActionKind::Stop:
      TheRequests.Stop = true;
      break;
    case ActionKind::Signal:
      if (pid_t Pid = programPid())
        kill(Pid, A.Signal);
      break;
    case ActionKind::Exec:
      if (std::string Problem = start(A, F); !Problem.empty())
        Problems.push_back(Problem);
      break;
    }
  }
  return Problems;
}

void AlertActions::reap() {
  if (Running && waitpid(Running, nullptr, WNOHANG) != 0)
    Running = 0;
}
