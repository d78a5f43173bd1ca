// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the names of addresses in the background.

#ifndef MEMKIT_LIB_RECORD_SYMBOLTHREAD_H
#define MEMKIT_LIB_RECORD_SYMBOLTHREAD_H

#include "Shared/WorkThread.h"
#include "Stacks/JitNames.h"
#include "Stacks/RecordedFiles.h"
#include "Stacks/SourceFiles.h"
#include "Symbolize/NameProcess.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>

namespace memkit {

/// A thread that finds names, so that the rings never wait for debug
/// information. Only the recorder's thread calls the functions.
///
/// Native code is resolved in another process, which takes some 100 MiB for
/// PyTorch's libraries. So the process ends soon after a batch of requests. A
/// few new requests wait for others before the process starts again, first for
/// 5 seconds and at last for 80: opening PyTorch's libraries takes 0.13 seconds
/// of processor time.
class SymbolThread {
public:
  /// Call it while this process is small: see NameProcess.
  /// If the machine refuses a thread, all requests are dropped.
  SymbolThread();
  bool isStarted() const { return Worker.isStarted(); }
  ~SymbolThread();

  /// Adds binary Id; ids come in order from 1. Process: that loaded the binary,
  /// and sees its sources. Other arguments as for RecordedFiles.
  void addBinary(uint32_t Process, std::vector<uint8_t> BuildId,
                 std::vector<std::string> Places);
  /// From now on lines of source are read for Process, of its native code and
  /// by askSource().
  void addSources(uint32_t Process, SourceRoot Root);
  /// Lines of source come with their functions. Before the first process.
  void keepFunctions() { Sources.keepFunctions(); }
  /// Requests the text of a line of a Python file. The caller asks once for a
  /// line.
  void askSource(uint32_t Process, std::string Path, uint32_t Line);
  /// Requests the symbols of Frame. This and the requests below wait for
  /// handOver(): waking a thread costs as much as a new stack.
  void ask(uint32_t Frame, uint32_t Binary, uint64_t Address);

  /// Sets the perf map of Process; before the first askJit() for Process.
  void addJit(uint32_t Process, JitPlace Place);
  /// Requests the name of Frame, code of Process outside of all binaries. The
  /// answer may come as late as endJit().
  void askJit(uint32_t Frame, uint32_t Process, uint64_t Address);
  /// Process has ended, and its map is complete.
  void endJit(uint32_t Process);
  /// Passes the requests since the last call to the thread.
  void handOver();
  /// The requests so far, and all further ones if Always, do not wait.
  void hurry(bool Always);

  struct SymbolAnswer {
    uint32_t Frame;
    std::vector<SourceLocation> Locations; ///< never empty
  };
  /// The text of a line of source.
  struct SourceAnswer {
    std::string Path;
    uint32_t Line;
    std::string Text; ///< never empty
  };
  /// The answers not taken before.
  std::vector<SourceAnswer> takeSources();
  /// The answers not taken before, in order, at most Max.
  std::vector<SymbolAnswer> takeAnswers(size_t Max);
  /// Whether all requests passed to the thread are answered or dropped.
  bool idle();
  /// Drops all unanswered requests.
  void cut();

  /// The results for a binary's addresses.
  struct ModuleCounts {
    uint64_t Asked = 0;
    uint64_t Nameless = 0; ///< of Asked: without even a function
  };
  /// By binary, from 0; binaries without requests may be missing. Valid when
  /// idle().
  const std::vector<ModuleCounts> &counts() const { return Counts; }

private:
  struct BinaryFile {
    uint32_t Process;
    std::vector<uint8_t> BuildId;
    std::vector<std::string> Places;
  };
  struct SymbolQuestion {
    enum { Native, Jit, JitEnd } Kind;
    uint32_t Frame;
    uint32_t Container; ///< binary or process
    uint64_t Address;
  };
  using UniqueLock = std::unique_lock<std::mutex>;
  void run();
  void waitForWork(UniqueLock &Guard);
  bool isBatchDue() const;
  void planNextBatch(size_t Answered);
  void answerBatch();
  void answerOfBinary(llvm::ArrayRef<SymbolQuestion> All);
  void answerJit(const SymbolQuestion &Q);
  void look(JitNames &Names);
  void lookAtMaps();
  void give(uint32_t Frame, std::vector<SourceLocation> Locations);
  void giveSource(uint32_t Process, const std::string &Path, uint32_t Line);

  struct SourceQuestion {
    uint32_t Process;
    std::string Path;
    uint32_t Line;
  };

  std::vector<SymbolQuestion> Asked;        ///< requests before handOver()
  std::vector<SourceQuestion> AskedSources; ///< likewise
  std::mutex Lock;
  std::condition_variable Wake;
  std::deque<BinaryFile> NewModules;
  std::deque<std::pair<uint32_t, JitNames>> NewJits;
  std::vector<SymbolQuestion> Questions;
  size_t Waiting = 0; ///< native questions that the thread has taken
  std::deque<SymbolAnswer> Answers;
  std::vector<std::pair<uint32_t, SourceRoot>> NewRoots;
  std::vector<SourceQuestion> SourceQuestions;
  std::vector<SourceAnswer> SourceAnswers;
  bool Busy = false, Stop = false, Hurry = false, AlwaysHurry = false;
  std::atomic<bool> IsCut = false; ///< the batch at work ends early
  // Used by the thread only.
  NameProcess Names;
  RecordedFiles Files;
  std::vector<SymbolQuestion> Batch;
  JitNames::Clock::time_point NextBatch{};
  JitNames::Clock::duration Rest{}; ///< until the batch after a small one
  SourceFiles Sources;
  std::vector<uint32_t> ProcessOf; ///< by binary - 1
  std::vector<ModuleCounts> Counts;
  std::map<uint32_t, JitNames> Jits; ///< by process
  WorkThread Worker;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SYMBOLTHREAD_H
