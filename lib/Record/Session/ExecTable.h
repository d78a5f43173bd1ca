// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Execs of recorded processes.

#ifndef MEMKIT_LIB_RECORD_SESSION_EXECTABLE_H
#define MEMKIT_LIB_RECORD_SESSION_EXECTABLE_H

#include "Session/ChildList.h"
#include "Session/RecordOptions.h"
#include <array>
#include <set>
#include <string>
#include <vector>

namespace memkit {

/// An announced exec whose outcome is unknown yet.
struct PendingExec {
  pid_t Pid;
  uint32_t Process; ///< announced the exec
  std::string Path;
  uint64_t SinceNs;
  /// When to look next why the program has not connected.
  uint64_t NextLookNs;
  int PidFd;
  bool Spawned;
  int WaitStatus = -1; ///< as ChildExit::WaitStatus
};

/// An exec with a program that did not connect to the recorder.
struct UnconnectedExec {
  PendingExec Exec; ///< PidFd is closed
  std::string Exe;  ///< path of the program
  std::string Why;
};

/// Keeps the execs that processes announce, until their programs connect, fail
/// to run, or turn out to run unrecorded.
class ExecTable {
public:
  /// Tag: part of the names of the recorder's memfds.
  ExecTable(const RecordOptions &O, Recording &R, ChildList &Children,
            std::string Tag)
      : O(O), R(R), Children(Children), Tag(std::move(Tag)) {}
  ~ExecTable();

  /// Handles Rec of P if it is a record of an exec; false: Rec is of another
  /// kind.
  bool take(ChildProcess &P, const wire::Record &Rec);
  /// The exec of process Pid, or null.
  const PendingExec *find(pid_t Pid) const;
  /// Process Pid has connected, or its exec has failed.
  void remove(pid_t Pid);
  /// Called before P ends. A process that announced an exec and ended without
  /// a later record ran the new program, so its exit status belongs to the new
  /// program.
  void passStatus(ChildProcess &P);
  /// Removes and returns the execs whose programs have not connected.
  std::vector<UnconnectedExec> takeUnconnected();
  bool empty() const { return Execs.empty(); }

private:
  void expect(ChildProcess &P, pid_t Inner, uint64_t Slot, uint64_t Tsc);
  /// Why the program of E does not connect; empty: unknown, or the program may
  /// connect later.
  std::string whyUnconnected(const PendingExec &E, bool Ended);

  const RecordOptions &O;
  Recording &R;
  ChildList &Children;
  std::string Tag;
  std::vector<PendingExec> Execs; ///< at most one of a process
  /// Files of programs that can be recorded: device, inode, time of the last
  /// change in ns. A busy machine starts the same programs slowly many times,
  /// and a compiler has tens of thousands of names to examine.
  std::set<std::array<uint64_t, 3>> Recordable;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_EXECTABLE_H
