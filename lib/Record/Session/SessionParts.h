// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a session that its other parts share.

#ifndef MEMKIT_LIB_RECORD_SESSION_SESSIONPARTS_H
#define MEMKIT_LIB_RECORD_SESSION_SESSIONPARTS_H

#include "Session/ChildList.h"
#include "Session/ExecTable.h"
#include "Session/ProcessRoles.h"
#include "Session/ProgramProcess.h"
#include "Session/SymbolRequests.h"

namespace memkit {

struct RecordOptions;

/// What the starts and the ends of processes both use; of the session, which
/// outlives them.
struct SessionParts {
  const RecordOptions &O;
  ChildList &Children;
  ProgramProcess &Program;
  ExecTable &Execs;
  ProcessRoles &Roles;
  SymbolRequests &Symbols;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_SESSIONPARTS_H
