// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The start of processes.

#ifndef MEMKIT_LIB_RECORD_SESSION_PROCESSSTARTS_H
#define MEMKIT_LIB_RECORD_SESSION_PROCESSSTARTS_H

#include "Session/Greeter.h"
#include "Session/ProcessExits.h"
#include "Session/RecordingControl.h"
#include "Session/StragglerSearch.h"

namespace memkit {

/// Adds processes to the recording: a process that connects gets its shared
/// memory; a process that runs unrecorded gets the reason in the trace.
class ProcessStarts {
public:
  /// Tag: part of the names of the recorder's memfds.
  ProcessStarts(const SessionParts &Of, SharedSources &Shared,
                Greeter &Listener, ProcessExits &Exits,
                const RecordingControl &Control, std::string Tag);

  /// Adds the processes that have connected. Ready: the listener may have a new
  /// connection.
  void greet(bool Ready);
  /// Adds the processes that run other programs without connecting.
  void addUnconnected();
  /// Adds the program, which runs already and does not connect. Errors: there
  /// is no memory.
  llvm::Expected<ChildProcess &> adoptProgram();
  /// Adds the program if it has ended without connecting.
  void addEndedProgram();
  /// Adds the program, which cannot be recorded.
  void addProgram(const std::string &Why);

  /// Number of recorded processes so far.
  unsigned recorded() const { return NumRecorded; }
  /// Whether a process may still connect. Called only when no process is left.
  bool mayAddMore() { return NumRecorded && Stragglers.find(); }

private:
  struct StartFacts;
  void welcome(const Greeter::Client &G);
  static void take(const StartFacts &Facts, pid_t Pid, ChildProcess &To);
  static StartFacts readFacts(pid_t Pid);
  void describe(ChildProcess &P, ProcessRecord &I, llvm::StringRef Environment);
  ChildProcess &enter(std::unique_ptr<ChildProcess> P, const ProcessRecord &I,
                      std::unique_ptr<SharedProcess> Memory);
  bool isSecondCopy(const Greeter::Client &G);
  uint32_t parentOf(const Greeter::Client &G, ProcessOrigin &Origin);
  void addUnrecorded(pid_t Pid, uint32_t Parent, ProcessOrigin Origin,
                     const std::string &Exe, const std::string &Why,
                     int WaitStatus = -1);

  const RecordOptions &O;
  Recording &R;
  SharedSources &Shared;
  Greeter &Listener;
  ChildList &Children;
  const ProgramProcess &Program;
  ExecTable &Execs;
  ProcessExits &Exits;
  const ProcessRoles &Roles;
  SymbolRequests &Symbols;
  const RecordingControl &Control;
  std::string Tag;
  ProcessSettings Settings;
  StragglerSearch Stragglers;
  bool ProgramAdded = false; ///< a process of the program was added
  unsigned NumRecorded = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_PROCESSSTARTS_H
