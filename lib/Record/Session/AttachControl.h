// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attaches to the programs of a recording, one after the other, and detaches.

#ifndef MEMKIT_LIB_RECORD_SESSION_ATTACHCONTROL_H
#define MEMKIT_LIB_RECORD_SESSION_ATTACHCONTROL_H

#include "Attach/AttachProcess.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memkit {

/// Attaches to a running program, and on request to its descendants. take()
/// does one step; meanwhile the programs' threads run, and the session takes
/// their records. Belongs to the recorder's thread.
class AttachControl {
public:
  /// By: must live as long. Socket: where the programs find the recorder.
  AttachControl(AttachProcess &By, std::string Socket, pid_t Main,
                bool WithChildren);

  /// Takes an answer, and asks for the next process.
  void take();
  /// Detaches from all processes; take() does it.
  void end() { IsEnding = true; }
  /// Whether nothing is left to be done: the program could not be attached to,
  /// or after end() all processes are detached from.
  bool isOver() const { return IsOver; }

  /// Whether the program, and all that descends from it, was asked for. Once.
  bool takeIsAttached() { return std::exchange(HasNews, false); }
  /// Whether the program itself was attached to.
  bool hasMain() const { return HasMain; }
  /// How the programs were changed: the sums, and the longest pause.
  const AttachResult &attached() const { return Attached; }
  /// How the hooks were taken out of the program; none: they were not.
  const std::optional<AttachResult> &detached() const { return Detached; }
  /// Why the program could not be attached to, or detached from: the end of a
  /// sentence that begins with the process; empty: no problem.
  const std::string &problem() const { return Problem; }
  /// Why other processes were not, sentences.
  const std::vector<std::string> &refusals() const { return Refusals; }

private:
  struct AttachedProcess {
    pid_t Pid = 0;
    bool IsAttached = false;
  };
  void takeAttached(llvm::Expected<AttachResult> R);
  void takeDetached(llvm::Expected<AttachResult> R);
  void findChildren();
  void askNext();
  bool isMain(size_t At) const { return At == 0; }

  AttachProcess &By;
  std::string Socket;
  bool WithChildren;
  std::vector<AttachedProcess> All; ///< the program first
  size_t Next = 0;                  ///< of All, to attach to
  std::optional<size_t> Asked;      ///< of All: the answer has not come yet
  bool IsEnding = false, IsOver = false, HasNews = false, HasMain = false;
  bool IsComplete = false; ///< the first round is done
  unsigned Rounds = 0;     ///< of findChildren()
  AttachResult Attached;
  std::optional<AttachResult> Detached;
  std::string Problem;
  std::vector<std::string> Refusals;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_ATTACHCONTROL_H
