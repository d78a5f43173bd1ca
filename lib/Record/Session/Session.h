// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder's loop over all recorded processes.

#ifndef MEMKIT_LIB_RECORD_SESSION_H
#define MEMKIT_LIB_RECORD_SESSION_H

#include "Session/Alerts.h"
#include "Session/AttachCensus.h"
#include "Session/AttachControl.h"
#include "Session/CaptureReports.h"
#include "Session/ChildList.h"
#include "Session/ClockMarks.h"
#include "Session/DetourAnswers.h"
#include "Session/Door.h"
#include "Session/ExecTable.h"
#include "Session/Greeter.h"
#include "Session/IdleWait.h"
#include "Session/MemorySamples.h"
#include "Session/ProcessExits.h"
#include "Session/ProcessRoles.h"
#include "Session/ProcessStarts.h"
#include "Session/ProgramProcess.h"
#include "Session/RecordOptions.h"
#include "Session/RecordingControl.h"
#include "Session/Requests.h"
#include "Session/ResidentSamples.h"
#include "Session/RingReader.h"
#include "Session/SignalPassing.h"
#include "Session/SoftwareThread.h"
#include "Session/SymbolRequests.h"
#include "Sources/SharedSources.h"
#include <string>

namespace memkit {

/// The recorder's loop: runs the classes of a recording pass by pass. A pass
/// adds new processes, takes the records of all rings in order of time, ends
/// processes, and adds samples, intervals and snapshots to the trace. Owned by
/// one thread.
class Session : RecordingListener {
public:
  /// Trace: the name of the output.
  Session(const RecordOptions &O, Recording &R, Greeter &Listener,
          std::string Tag, std::string Trace);
  ~Session() override;

  /// Sets the program, a child process of the recorder. WhyNot: why the program
  /// cannot be recorded, or empty.
  /// Passes on signals to the program while the session runs.
  void passSignals(SignalPassing &To) { Signals = &To; }
  void setProgram(pid_t Pid, const std::string &Exe, const std::string &WhyNot);
  /// The program runs already, and By attaches to it: run() begins with that,
  /// and ends with detaching. Memory: of the program, to find what lived
  /// before; none: that is not wanted. After setProgram().
  void attachBy(AttachProcess &By, std::optional<TargetMemory> Memory);
  /// After attachBy().
  const AttachControl &attaching() const { return *Attaching; }
  /// Lets tools ask about this recording from run() on; TraceFd: as for Door.
  /// Errors: of the system; the recording goes on without.
  llvm::Error openDoor(int TraceFd);
  /// The program runs already and is only looked at: adds what lives in it, and
  /// what its resident memory consists of. In place of run(). Errors: of the
  /// system.
  llvm::Error takeCensus(const Census &C);
  /// Runs until nothing is left to record, or until a request to stop.
  void run();
  /// Warns of a start or stop of the options whose time point never came, and
  /// of alerts whose heap never came.
  void warnOfTimePoints() const {
    Control.warnOfTimePoints();
    Residents.warnOfSteps();
    Watch.warnOfMissing();
  }
  /// Resolves the remaining frames, and completes the trace.
  void finish();

  /// The program's exit status, 128+n when signal n killed it. Valid after the
  /// program has ended.
  int programStatus() const { return Program.status(); }
  /// The signal that killed the program, or 0.
  int programSignal() const { return Program.signal(); }
  bool programEnded() const { return Program.ended(); }
  unsigned processesRecorded() const { return Starts.recorded(); }
  uint64_t longestPauseNs() const { return Rings.longestPauseNs(); }
  /// The path of a binary without symbols that most stacks pass through, or
  /// empty. Valid after the recording has ended.
  std::string namelessBinary() const { return Symbols.namelessBinary(); }

private:
  void ranBinary(uint32_t Process, const std::string &Path) override;
  void pass();
  void endProcesses();
  void drain(uint64_t Limit, ChildProcess *Only);
  void takeBatch(llvm::ArrayRef<MergedRecord> Records, bool Ending);
  size_t countBeforeEnd(llvm::ArrayRef<MergedRecord> Records) const;
  void takeRecord(const MergedRecord &M);
  void turnTail();
  bool waitsForNames(uint64_t NowNs);
  void samples();
  void reportProgress(uint64_t NowNs);
  void tellProcess(uint32_t Process, uint32_t Number, uint64_t Value,
                   uint64_t Bound);
  bool mustStop();
  bool mustDetach();
  bool finished();

  const RecordOptions &O;
  Recording &R;
  SignalPassing *Signals = nullptr;
  std::optional<AttachCensus> Before; ///< what lived before; none: not wanted
  std::optional<AttachControl> Attaching; ///< none: the program is memrec's
  bool IsAttached = false;
  uint64_t DetachAtNs = UINT64_MAX;
  SharedSources Shared{R, O.DeviceIntervalNs};
  Greeter &Listener;
  std::string Trace; ///< the name of the output
  ChildList Children;
  SymbolRequests Symbols{R, Children};
  RecordingControl Control{O, R, Children};
  ProcessRoles Roles{R, Children};
  CaptureReports Reports{O, R, Shared.Uses};
  DetourAnswers Detours{O, Children, Reports, Shared.DetoursAsked};
  SoftwareThread Versions;
  MemorySamples Samples{O, R, Children, Shared.Uses, Reports};
  ResidentSamples Residents;
  ClockMarks Clocks{R};
  ProgramProcess Program;
  ExecTable Execs;
  SessionParts Parts{O, Children, Program, Execs, Roles, Symbols};
  ProcessExits Exits{R, Parts, Shared.Uses, Reports};
  ProcessStarts Starts;
  RingReader Rings{R};
  IdleWait Idle{R, Listener, Program, Children};
  Alerts Watch{O, R};
  AlertActions Actions;
  std::unique_ptr<Door> Visitors; ///< null: no door is open
  uint64_t NextFlushNs = 0, NextLossNs = 0, NextProgressNs = 5'000'000'000;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_H
