// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols for the frames of a recording.

#ifndef MEMKIT_LIB_RECORD_SESSION_SYMBOLREQUESTS_H
#define MEMKIT_LIB_RECORD_SESSION_SYMBOLREQUESTS_H

#include "Session/ChildList.h"
#include "Session/RecordOptions.h"
#include "Stacks/SymbolThread.h"
#include "llvm/ADT/DenseSet.h"

namespace memkit {

/// Requests the symbols of a recording's frames from the symbol thread, and
/// adds the answers to the trace. Does nothing before start().
class SymbolRequests : RecordingListener {
public:
  SymbolRequests(Recording &R, ChildList &Children)
      : R(R), Children(Children) {}
  ~SymbolRequests() override { R.removeListener(*this); }

  /// Called before the first process: starts the symbol thread, which reads
  /// Sources, too. False: the machine refuses a thread.
  bool start(KeptSources Sources);
  bool isStarted() const { return Thread != nullptr; }
  /// Adds the symbols of at most Max frames to the trace, about a microsecond
  /// each.
  void take(size_t Max);
  /// Lines of source are read as process Pid sees files. StartNs: its start, of
  /// CLOCK_REALTIME. Called before the first code of Process.
  void addSources(uint32_t Process, pid_t Pid, uint64_t StartNs);
  /// P has ended: its map of names is complete.
  void endJit(ChildProcess &P);
  /// Somebody looks at the trace: the symbols of the frames so far are wanted
  /// soon.
  void hurry();
  /// Waits for the symbols of all remaining frames, and writes them each second
  /// from NextFlushNs on. A further signal ends the wait; so does a request to
  /// stop, unless that was one to detach alone.
  void finish(uint64_t NextFlushNs, bool IsDetached);

  /// The path of the binary with the most nameless frames, if at least 90 % of
  /// its frames are nameless and these are at least a fifth of the frames of
  /// all binaries: most stacks then show addresses. Else empty. Valid after
  /// finish().
  std::string namelessBinary() const;

private:
  void foundBinary(uint32_t Binary, const std::string &Path,
                   const std::vector<uint8_t> &BuildId,
                   uint32_t Process) override;
  void foundPythonFunction(uint32_t Function, const std::string &File) override;
  void foundPythonLine(uint32_t Process, uint32_t Function,
                       uint32_t Line) override;
  void onUnownedCode(uint32_t Frame, uint32_t Process, uint64_t Address);

  Recording &R;
  ChildList &Children;
  std::unique_ptr<SymbolThread> Thread;
  std::vector<std::string> BinaryPaths; ///< by number in Thread, from 0
  bool ReadsSources = false;
  /// The files of Python functions that may have source.
  llvm::DenseMap<uint32_t, std::string> PythonFiles;
  llvm::DenseSet<uint64_t> PythonLines; ///< asked: function, line
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_SYMBOLREQUESTS_H
