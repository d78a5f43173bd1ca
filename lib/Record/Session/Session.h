// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder's loop over all recorded processes.

#ifndef MEMKIT_LIB_RECORD_SESSION_H
#define MEMKIT_LIB_RECORD_SESSION_H

#include "Output/Recording.h"
#include "Session/CaptureReports.h"
#include "Session/ChildList.h"
#include "Session/ClockMarks.h"
#include "Session/Greeter.h"
#include "Session/MemorySamples.h"
#include "Session/ProcessRoles.h"
#include "Session/RecordOptions.h"
#include "Session/RecordingControl.h"
#include "Session/Requests.h"
#include "Session/RingReader.h"
#include "Session/SymbolRequests.h"
#include <memory>
#include <optional>
#include <poll.h>
#include <sys/wait.h>
#include <vector>

namespace memkit {

/// The recorder's loop: accepts new processes, drains their rings in order of
/// time, notices the end of processes, and adds samples, intervals and
/// snapshots to the trace. Owned by one thread.
class Session {
public:
  Session(const RecordOptions &O, Recording &R, Greeter &Listener,
          std::string Tag);
  ~Session();

  /// Sets the program, a child process of the recorder. WhyNot: why the program
  /// cannot be recorded, or empty.
  void setProgram(pid_t Pid, const std::string &Exe, std::string WhyNot);
  /// Runs until nothing is left to record, or until a request to stop.
  void run();
  /// Warns of a start or stop of the options whose moment never came.
  void warnOfMoments() const { Control.warnOfMoments(); }
  /// Resolves the remaining frames, and completes the trace.
  void finish();

  /// The program's exit status, 128+n when signal n killed it. Valid after the
  /// program has ended.
  int programStatus() const { return ProgramStatus; }
  /// The signal that killed the program, or 0.
  int programSignal() const {
    return ProgramEnded && WIFSIGNALED(ProgramWait) ? WTERMSIG(ProgramWait) : 0;
  }
  bool programEnded() const { return ProgramEnded; }
  unsigned processesRecorded() const { return NumRecorded; }
  uint64_t longestPauseNs() const { return Rings.longestPauseNs(); }
  /// The path of a binary without symbols that most stacks pass through, or
  /// empty. Valid after the recording has ended.
  std::string namelessBinary() const { return Symbols.namelessBinary(); }

private:
  /// An announced exec whose outcome is unknown yet.
  struct PendingExec {
    pid_t Pid;
    uint32_t Process;
    std::string Path;
    uint64_t SinceNs;
    int PidFd;
    bool Spawned;
    int WaitStatus = -1; ///< as ChildProcess::WaitStatus
  };
  // Session.cpp: the loop.
  bool pass();
  void drain(uint64_t Limit, ChildProcess *Only);
  void takeBatch(llvm::ArrayRef<MergedRecord> Records, bool Ending);
  void takeRecord(const MergedRecord &M);
  void turnTail();
  bool waitsForNames(uint64_t NowNs);
  void samples();
  void nap(bool Busy);
  bool finished();

  // Processes.cpp: processes come, go and change.
  void greet();
  void welcome(const Greeter::Client &G);
  uint32_t parentOf(const Greeter::Client &G, ProcessOrigin &Origin);
  void lookForEnds();
  void lookForGone();
  void endProcesses();
  void endProcessesBefore(uint64_t Tsc);
  bool isDrained(ChildProcess &P);
  void setEnding(ChildProcess &P, bool Replaced);
  void endProcess(ChildProcess &P);
  void leaveStatusToExec(ChildProcess &P);
  static pid_t pidOf(const ChildProcess &P, pid_t Inner);
  bool takeExec(ChildProcess &P, const wire::Record &Rec);
  void expectExec(ChildProcess &P, pid_t Inner, uint64_t Slot, uint64_t Tsc);
  void forgetExec(pid_t Pid);
  void lookAtExecs();
  void addUnrecorded(pid_t Pid, uint32_t Parent, ProcessOrigin Origin,
                     const std::string &Exe, const std::string &Why,
                     int WaitStatus = -1);
  bool stragglers();

  const RecordOptions &O;
  Recording &R;
  SharedSources Shared{R};
  Greeter &Listener;
  std::string Tag; ///< part of the names of the recorder's memfds
  ProcessSettings Settings;
  ChildList Children;
  SymbolRequests Symbols{R, Children};
  RecordingControl Control{O, R, Children};
  ProcessRoles Roles{R, Children};
  CaptureReports Reports{O, R, Shared.Uses};
  MemorySamples Samples{O, R, Children, Shared.Uses, Reports};
  ClockMarks Clocks{R};
  std::vector<PendingExec> Execs;
  bool ListenerRings = true; ///< the listener may have a new connection
  RingReader Rings{R};
  uint64_t PassTsc = 0, LastPassTsc = 0; ///< TSC of this pass and of the last
  /// Lowest EndTsc of the ending processes.
  uint64_t NextEndTsc = ~0ull;
  std::vector<pollfd> Polls;

  pid_t Program = 0;
  int ProgramFd = -1;
  std::string ProgramExe, ProgramWhyNot;
  bool ProgramEnded = false;
  bool ProgramSeen = false; ///< a process of the program was added
  int ProgramStatus = 0;
  int ProgramWait = -1;
  unsigned NumRecorded = 0;

  uint64_t NextFlushNs = 0, NextLossNs = 0;
  uint64_t NapNs = 50000;
  uint64_t StragglersUntilNs = 0;
  unsigned NoStragglers = 0; ///< consecutive checks that found no straggler
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_H
