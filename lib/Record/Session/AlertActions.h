// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an alert does beside its mark.

#ifndef MEMKIT_LIB_RECORD_SESSION_ALERTACTIONS_H
#define MEMKIT_LIB_RECORD_SESSION_ALERTACTIONS_H

#include "Session/AlertAction.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace memkit {

class ChildList;
class RecordingControl;

/// What a command learns of an alert, in its environment.
struct AlertFacts {
  std::string What;    ///< MEMREC_ALERT: the condition
  std::string Text;    ///< MEMREC_ALERT_TEXT: a sentence
  std::string Value;   ///< MEMREC_ALERT_VALUE: alertAmount()
  std::string Bound;   ///< MEMREC_ALERT_BOUND: likewise
  uint64_t TimeNs = 0; ///< MEMREC_ALERT_TIME_NS
};

/// Runs actions. At most one command at a time: an alert that comes while a
/// command runs does not start another. Belongs to the recorder's thread.
class AlertActions {
public:
  /// Trace: the name of the output, for commands.
  AlertActions(std::vector<AlertAction> Actions, std::string Trace,
               RecordingControl &Control, ChildList &Children)
      : Actions(std::move(Actions)), Trace(std::move(Trace)), Control(Control),
        Children(Children) {}

  /// Problems: one line each.
  std::vector<std::string> run(const AlertFacts &F);
  /// Once a pass: takes the status of a command that has ended.
  void reap();

private:
  /// The first process that runs; 0: none.
  pid_t programPid() const;
  std::string start(const AlertAction &A, const AlertFacts &F);

  std::vector<AlertAction> Actions;
  std::string Trace;
  RecordingControl &Control;
  ChildList &Children;
  pid_t Running = 0; ///< the command; 0: none
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_ALERTACTIONS_H
