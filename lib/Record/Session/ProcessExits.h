// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of processes.

#ifndef MEMKIT_LIB_RECORD_SESSION_PROCESSEXITS_H
#define MEMKIT_LIB_RECORD_SESSION_PROCESSEXITS_H

#include "Session/CaptureReports.h"
#include "Session/ChildList.h"
#include "Session/SessionParts.h"
#include "Shared/MemoryGroup.h"
#include <algorithm>
#include <poll.h>
#include <vector>

namespace memkit {

/// Finds the processes that have ended, and ends each in the trace after its
/// last record and before all later records of other processes.
class ProcessExits {
public:
  ProcessExits(Recording &R, const SessionParts &Of, DeviceUses &Uses,
               CaptureReports &Reports)
      : R(R), Children(Of.Children), Program(Of.Program), Execs(Of.Execs),
        Symbols(Of.Symbols), Uses(Uses), Roles(Of.Roles), Reports(Reports) {}

  /// Marks the processes that have ended. Tsc: of the pass that starts. All
  /// records of these processes are in their rings by now, so the pass takes
  /// all of them.
  void find(uint64_t Tsc);
  /// P has ended, or an exec has replaced P. P lived at least until the last
  /// pass, and until its announced exit.
  void setEnding(ChildProcess &P, bool Replaced);

  // The order of ends among the records of a drain.
  void startDrain() { NextEndTsc = NoTsc; }
  /// The drain takes records of P, which is ending.
  void expectEnd(const ChildProcess &P) {
    NextEndTsc = std::min(NextEndTsc, P.Exit.Tsc);
  }
  /// Whether a process may end in the drain.
  bool anyExpected() const { return NextEndTsc != NoTsc; }
  /// endBefore() has nothing to end up to this clock.
  uint64_t nextEndTsc() const { return NextEndTsc; }
  /// Ends the processes whose last record is older than a record at Tsc.
  void endBefore(uint64_t Tsc);

  /// Called once a pass, after the drain, and counts the calls for P: whether
  /// to take the last records of P now, and to end P.
  bool isDue(ChildProcess &P) const;
  /// Ends P in the trace.
  void end(ChildProcess &P);

private:
  static constexpr uint64_t NoTsc = ~0ull;
  void noteKill(ChildProcess &P, int32_t Status, uint32_t Signal);
  void findGone();
  static bool isDrained(ChildProcess &P);

  Recording &R;
  ChildList &Children;
  ProgramProcess &Program;
  ExecTable &Execs;
  SymbolRequests &Symbols;
  DeviceUses &Uses;
  ProcessRoles &Roles;
  CaptureReports &Reports;
  MemoryGroup Group = MemoryGroup::own();
  uint64_t Kills = Group.kills();        ///< by the kernel, of known processes
  uint64_t PassTsc = 0, LastPassTsc = 0; ///< TSC of this pass and of the last
  uint64_t NextEndTsc = NoTsc; ///< lowest Exit.Tsc of the ending processes
  std::vector<pollfd> Polls;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_PROCESSEXITS_H
