// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One action of an alert.

#ifndef MEMKIT_LIB_RECORD_SESSION_ALERTACTION_H
#define MEMKIT_LIB_RECORD_SESSION_ALERTACTION_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace memkit {

/// snapshot, stop, holders, signal:NAME, exec:COMMAND.
struct AlertAction {
  enum class ActionKind : uint8_t { Snapshot, Stop, Holders, Signal, Exec };
  ActionKind Kind = ActionKind::Snapshot;
  int Signal = 0;
  std::vector<std::string> Command; ///< words between blanks
};

/// Errors: RequestError, with the right forms.
llvm::Expected<AlertAction> parseAlertAction(llvm::StringRef Text);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_ALERTACTION_H
