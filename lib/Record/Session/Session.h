// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording while it runs.

#ifndef MEMKIT_LIB_RECORD_SESSION_H
#define MEMKIT_LIB_RECORD_SESSION_H

#include "Output/Recording.h"
#include "Recorder.h"
#include "Session/Greeter.h"
#include "Session/PssThread.h"
#include "Shared/RingMerge.h"
#include "Sources/ProcessState.h"
#include "Stacks/SymbolThread.h"
#include <memory>
#include <optional>
#include <poll.h>
#include <set>
#include <sys/wait.h>
#include <vector>

namespace memkit {

/// What the recorder was told by signals; set by handlers.
struct Requests {
  std::atomic<int> Interrupts{0};
  std::atomic<bool> Stop{false};
  std::atomic<unsigned> Toggles{0}; ///< recording is to start, or to stop
  std::atomic<unsigned> Flushes{0}; ///< all that is known is to be written
};
extern Requests TheRequests;

/// The recorder's loop: takes in new processes, drains their rings in the order
/// of time, sees processes end, and keeps the trace's samples, intervals and
/// snapshots coming. One thread owns all of it.
class Session {
public:
  Session(const RecordOptions &O, Recording &R, Greeter &Listener,
          std::string Tag);
  ~Session();

  /// The program, a child of ours. WhyNot: why it cannot be recorded, if so.
  void setProgram(pid_t Pid, const std::string &Exe, std::string WhyNot);
  /// Runs until there is nothing left to record, or until told to stop.
  void run();
  /// Says which of the moments to start and stop never came.
  void warnOfMoments() const;
  /// Resolves what is left, and completes the trace.
  void finish();

  /// Of the program: 128+n when killed. Valid once it has ended.
  int programStatus() const { return ProgramStatus; }
  /// The signal that killed the program, or 0.
  int programSignal() const {
    return ProgramEnded && WIFSIGNALED(ProgramWait) ? WTERMSIG(ProgramWait) : 0;
  }
  bool programEnded() const { return ProgramEnded; }
  unsigned processesRecorded() const { return NumRecorded; }
  uint64_t longestPauseNs() const { return LongestPauseNs; }
  /// The path of a binary without symbols that most stacks go through; empty:
  /// there is none. When the recording has ended.
  std::string namelessBinary() const;

private:
  /// A process and what is known of its process.
  struct Child {
    uint32_t Process = 0, Parent = 0;
    pid_t Pid = 0;
    pid_t InnerPid = 0; ///< as it sees itself
    int PidFd = -1;
    std::unique_ptr<ProcessState> State;
    bool Ending = false;      ///< ended; what it wrote is in its rings
    unsigned EndPasses = 0;   ///< since then
    uint64_t EndTsc = 0;      ///< of its last record
    bool Replaced = false;    ///< by an exec
    int WaitStatus = -1;      ///< of waitpid, -1: not known
    bool SeesOurPids = false; ///< in the namespace of pids that we are in
    uint32_t NextOrphan = 0;  ///< ring that takeBackRings() looks at next
    bool HasJit = false;      ///< code that no binary owns was seen
    std::optional<JitPlace> PerfMap; ///< until then
    uint64_t StartNs = 0, NextRssNs = 0, NextPssNs = 0, EndNs = 0;
    uint32_t RssCount = 0;
    bool IsForked = false;
    bool IsMarked = false; ///< its share is wanted for a mark of the program
    std::string Role;      ///< see PythonRole.h
    std::string Exe;       ///< its program
    std::string Arguments; ///< /proc/PID/cmdline as it was read last
    std::string Title;     ///< what it has written over its arguments
    bool PythonSaid = false;
  };
  /// An exec that was announced, until it is known what came of it.
  struct PendingExec {
    pid_t Pid;
    uint32_t Process;
    std::string Path;
    uint64_t SinceNs;
    int PidFd;
    bool Spawned;
    int WaitStatus = -1; ///< as Child::WaitStatus, when it has ended
  };
  struct BatchRing {
    Child *P;
    uint32_t Ring;
  };

  // Session.cpp: the loop.
  bool pass();
  void drain(uint64_t Limit, Child *Only);
  void takeBatch(llvm::ArrayRef<MergedRecord> Records, bool Ending);
  void takeRecord(const MergedRecord &M);
  bool waitsForNames(uint64_t NowNs);
  void samples();
  void nap(bool Busy);
  void looked();
  bool finished();

  // SessionControl.cpp: recording starts and stops.
  void prepareControl();
  void control(uint64_t Now);
  bool isMoment(const RecordMoment &M, uint64_t Now) const;
  void wantRecording(bool On);
  void setRecording(bool On, uint64_t Now);
  void flushAll();
  void turnTail();

  // SessionRings.cpp: rings come and go.
  void addRings(Child &P);
  void findEnd(Child &P, const wire::Record *Records, uint64_t Tail,
               uint64_t Head);
  void freeRings(Child &P);
  void takeBackRings(Child &P, bool All);

  // Processes.cpp: processes come, go and change.
  void greet();
  void welcome(const Greeter::Client &G);
  uint32_t parentOf(const Greeter::Client &G, ProcessOrigin &Origin);
  void lookForEnds();
  void lookForGone();
  void endProcesses();
  void endProcessesBefore(uint64_t Tsc);
  bool isDrained(Child &P);
  void setEnding(Child &P, bool Replaced);
  void endProcess(Child &P);
  void leaveStatusToExec(Child &P);
  static pid_t pidOf(const Child &P, pid_t Inner);
  bool takeExec(Child &P, const wire::Record &Rec);
  void expectExec(Child &P, pid_t Inner, uint64_t Slot, uint64_t Tsc);
  void forgetExec(pid_t Pid);
  void lookAtExecs();
  void addUnrecorded(pid_t Pid, uint32_t Parent, ProcessOrigin Origin,
                     const std::string &Exe, const std::string &Why,
                     int WaitStatus = -1);
  Child *findPid(pid_t Pid);
  void removeGone();
  bool anyRunning() const;
  bool stragglers();

  // SessionSamples.cpp: what they hold, from outside.
  uint64_t sampleInterval(const Child &P) const;
  static uint64_t clockInterval(uint32_t NumClocks);
  void sampleRss(Child &P, uint64_t Now);
  void lookAtTitle(Child &P);
  void setTitle(const Child &P);
  void noteMarked(Child &Marked);
  Child *nextForPss(uint64_t Now);
  void samplePss(uint64_t Now);
  void lookAtDevices(uint64_t Now);

  // PythonProcesses.cpp
  void findRole(Child &P, const ProcessRecord &I, llvm::StringRef Exe,
                llvm::ArrayRef<std::string> Command);
  void lookAtPython(Child &P);
  void lookAtTorch(Child &P);
  void lookAtTorchCuda(Child &P);
  void lookAtCuda(Child &P);
  void addAlert(const Child &P, llvm::StringRef What);
  void nameDataWorker(Child &P);

  // Symbols.cpp
  void startSymbols();
  void onBinary(uint32_t Binary, const std::string &Path,
                const std::vector<uint8_t> &BuildId, uint32_t Process);
  void onUnownedCode(uint32_t Frame, uint32_t Process, uint64_t Address);
  void endJit(Child &P);
  void takeSymbols(size_t Max);

  const RecordOptions &O;
  Recording &R;
  SharedSources Shared{R};
  Greeter &Listener;
  std::string Tag; ///< of our memfds' names
  ProcessSettings Settings;
  std::unique_ptr<SymbolThread> Symbols;
  std::vector<std::string> ModulePaths; ///< as Symbols numbers them, from 0
  PssThread Pss;
  std::vector<std::unique_ptr<Child>> Children;
  /// Of workers of DataLoaders that have ended, the last ones.
  struct DataWorker {
    uint32_t Parent, Process;
    uint64_t EndNs;
  };
  std::vector<DataWorker> DataWorkers;
  bool TorchSaid = false, TorchCudaSaid = false;
  unsigned CudaSaid = 0; ///< 1: how it is heard, 2: that it is not
  std::vector<PendingExec> Execs;
  bool ListenerRings = true; ///< somebody may want in
  RingMerge Merge;
  std::vector<BatchRing> BatchRings;
  std::vector<RingOfProcess> RingOf; ///< as BatchRings
  std::vector<MergedRecord> Batch;
  uint64_t PassTsc = 0, LastPassTsc = 0; ///< clocks of this pass and the last
  uint64_t NextEndTsc = ~0ull; ///< the first of the processes that are ending
  std::vector<pollfd> Polls;

  pid_t Program = 0;
  int ProgramFd = -1;
  std::string ProgramExe, ProgramWhyNot;
  bool ProgramEnded = false;
  bool ProgramSeen = false; ///< it has a process
  int ProgramStatus = 0;
  int ProgramWait = -1;
  unsigned NumRecorded = 0;
  std::set<std::pair<uint32_t, uint32_t>> PythonsSaid; ///< state, version

  bool IsOn = true;             ///< what the recorder wants of new processes
  std::optional<bool> Wanted;   ///< from the next pass on
  RecordMoment StartAt, StopAt; ///< still to come
  unsigned TogglesSeen = 0, FlushesSeen = 0;
  uint64_t NextRssNs = 0, NextPssNs = 0;
  uint64_t NextFlushNs = 0, NextLossNs = 0, NextClockNs = 0;
  uint32_t NumClocks = 0; ///< clock marks
  uint64_t NapNs = 50000;
  uint64_t LookedNs = 0, LongestPauseNs = 0; ///< at the rings
  uint64_t StragglersUntilNs = 0;
  unsigned NoStragglers = 0; ///< how often none was seen
  double Fullest = 0;        ///< of the rings at the last pass, 0 to 1
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_H
