// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The running steps of functions.
//
// Each call of a tf.function has a step id, which its operators have in
// whatever thread they run. Any thread; no lock.

#ifndef MEMKIT_CAPTURE_TENSORFLOW_STEPTABLE_H
#define MEMKIT_CAPTURE_TENSORFLOW_STEPTABLE_H

#include <atomic>
#include <cstdint>

namespace memkit::capture::tf {

class StepTable {
public:
  static constexpr uint32_t MaxSteps = 64;

  /// Adds a step of a function; further steps are not added.
  void add(int64_t Step, uint64_t Number, uint32_t Node) {
    for (RunningStep &S : Steps) {
      int64_t Is = Free;
      if (S.Step.load(std::memory_order_relaxed) != Free ||
          !S.Step.compare_exchange_strong(Is, Taken, std::memory_order_acq_rel))
        continue;
      S.Number.store(Number, std::memory_order_relaxed);
      S.Node.store(Node, std::memory_order_relaxed);
      S.Step.store(Step, std::memory_order_release);
      return;
    }
  }
  void remove(int64_t Step) {
    for (RunningStep &S : Steps)
      if (S.Step.load(std::memory_order_relaxed) == Step)
        return S.Step.store(Free, std::memory_order_release);
  }
  /// False: no such step runs.
  bool find(int64_t Step, uint64_t &Number, uint32_t &Node) const {
    for (const RunningStep &S : Steps) {
      if (S.Step.load(std::memory_order_acquire) != Step)
        continue;
      Number = S.Number.load(std::memory_order_relaxed);
      Node = S.Node.load(std::memory_order_relaxed);
      return S.Step.load(std::memory_order_acquire) == Step;
    }
    return false;
  }

  /// No step of a function: TensorFlow gives functions negative numbers.
  static constexpr int64_t Free = 0, Taken = 1;

private:
  struct RunningStep {
    std::atomic<int64_t> Step;
    std::atomic<uint64_t> Number; ///< of the function's range
    std::atomic<uint32_t> Node;   ///< of the caller's Python frames
  };
  RunningStep Steps[MaxSteps] = {};
};

} // namespace memkit::capture::tf

#endif // MEMKIT_CAPTURE_TENSORFLOW_STEPTABLE_H
