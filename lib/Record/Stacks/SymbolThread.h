// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves addresses beside the recorder.

#ifndef MEMKIT_LIB_RECORD_SYMBOLTHREAD_H
#define MEMKIT_LIB_RECORD_SYMBOLTHREAD_H

#include "Stacks/JitNames.h"
#include "Symbolize/Symbolizer.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

namespace memkit {

/// A thread that resolves addresses in the order asked, so that the rings never
/// wait for debug information. All functions are the recorder's to call.
class SymbolThread {
public:
  SymbolThread();
  ~SymbolThread();

  /// Names binary Id; ids come in order from 1. Arguments as for Symbolizer.
  void addBinary(std::vector<uint8_t> BuildId, std::vector<std::string> Places);
  /// Asks for the symbols of Frame. What is asked waits for handOver(), here
  /// and below: to wake a thread costs as much as a new stack.
  void ask(uint32_t Frame, uint32_t Binary, uint64_t Address);

  /// Says where Process has its perf map; before the first askJit() of it.
  void addJit(uint32_t Process, JitPlace Place);
  /// Asks for the name of Frame, code of Process that no binary owns. The
  /// answer may come as late as at endJit().
  void askJit(uint32_t Frame, uint32_t Process, uint64_t Address);
  /// Process has ended, and its map is complete.
  void endJit(uint32_t Process);
  /// Gives the thread what was asked since the last time.
  void handOver();

  struct Answer {
    uint32_t Frame;
    std::vector<SourceLocation> Locations; ///< never empty
  };
  /// What was resolved, in order, up to Max of what was not taken before.
  std::vector<Answer> takeAnswers(size_t Max);
  /// Whether everything that was handed over is answered or was given up.
  bool idle();
  /// Gives up what is not resolved yet.
  void cut();

  /// What became of a binary's addresses.
  struct ModuleCounts {
    uint64_t Asked = 0;
    uint64_t Nameless = 0; ///< of these: not even a function is known
  };
  /// By binary, from 0; those that nothing was asked of may be missing. Once
  /// it is idle().
  const std::vector<ModuleCounts> &counts() const { return Counts; }

private:
  struct Binary {
    std::vector<uint8_t> BuildId;
    std::vector<std::string> Places;
  };
  struct Question {
    enum { Native, Jit, JitEnd } Kind;
    uint32_t Frame;
    uint32_t Container; ///< binary or process
    uint64_t Address;
  };
  void run();
  bool waitForWork(std::unique_lock<std::mutex> &Guard);
  void answer(const Question &Q);
  void look(JitNames &Names);
  void lookAtMaps();
  void give(uint32_t Frame, std::vector<SourceLocation> Locations);

  std::vector<Question> Asked; ///< the recorder's, not handed over yet
  std::mutex Lock;
  std::condition_variable Wake;
  std::deque<Binary> NewModules;
  std::deque<std::pair<uint32_t, JitNames>> NewJits;
  std::deque<Question> Questions;
  std::deque<Answer> Answers;
  bool Busy = false, Stop = false;
  // The thread's own.
  Symbolizer Symbols;
  std::vector<ModuleCounts> Counts;
  std::map<uint32_t, JitNames> Jits; ///< by process
  std::thread Worker;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SYMBOLTHREAD_H
