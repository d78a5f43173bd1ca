// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where memtop's frames come from.

#ifndef MEMKIT_TOOLS_MEMTOP_FEED_H
#define MEMKIT_TOOLS_MEMTOP_FEED_H

#include "Live/Client.h"
#include "Live/LiveTrace.h"
#include "Watch/WatchFrame.h"
#include "memkit/Model/SelectionSpec.h"

namespace memkit {

/// A recording that runs, or a trace. Belongs to one thread.
class Feed {
public:
  /// Opens Name, `live:PID` or a trace. Errors name it.
  static llvm::Expected<std::unique_ptr<Feed>> open(llvm::StringRef Name,
                                                    SelectionSpec Spec);

  WatchedTrace &trace() { return *Now; }
  RowTree &tree() { return *Tree; }
  const WatchedRun &run() const { return Run; }

  /// Reads the trace of now. While the recorder does not answer, the trace
  /// stays the last one and the run's status says why; after the recording has
  /// ended, the trace is the finished file. No-op for a finished trace. The
  /// trace() and tree() from before are gone.
  void refresh();

  /// The time between refreshes, in ns: Wanted, or longer, so that refreshes
  /// take at most 2 % of a processor; at most a day.
  uint64_t intervalNs(uint64_t Wanted) const;

  /// Sends a request to the recorder; errors are its words.
  llvm::Error ask(llvm::StringRef Request);

private:
  Feed(llvm::StringRef Name, SelectionSpec Spec)
      : Name(Name), Spec(std::move(Spec)) {}
  llvm::Error connect();
  llvm::Error read(llvm::StringRef Path);
  llvm::Expected<std::unique_ptr<WatchedTrace>> readLive();
  llvm::Error searchGrowth();
  void measureRecorder();
  void end();

  std::string Name;
  SelectionSpec Spec;
  WatchedRun Run;
  std::optional<LiveFollower> Follower; ///< of a recording
  std::string Output;                   ///< the file of the recording
  pid_t Recorder = 0;
  uint64_t RecorderNs = 0, RecorderAtNs = 0;
  uint64_t CostNs = 0;
  uint64_t SearchDueNs = 0; ///< for growth, on the monotonic clock
  std::unique_ptr<WatchedTrace> Now;
  std::optional<RowTree> Tree;
};

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMTOP_FEED_H
