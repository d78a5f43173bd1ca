// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operator and layer a thread runs.
//
// PyTorch calls an observer at the begin and end of each operator, autograd
// node and user range (at::RecordFunction). Ours tells the recorder of each as
// of a scope, and looks at each begin which modules (nn.Module) run in the
// thread's Python frames: those that do not any more have ended, new ones have
// begun. What an autograd node is told to belong to is the operator of the
// forward pass that made it: they have one sequence number.
//
// The observer's structure is that of at::RecordFunctionCallback (1.13 to
// 2.13). Where in a RecordFunction its sequence number stands is found by
// making one with a number that we know.

#ifndef MEMKIT_CAPTURE_TORCH_OPERATORS_H
#define MEMKIT_CAPTURE_TORCH_OPERATORS_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memkit::capture {

struct Frame;
struct Thread;

/// A scope that is open in a thread.
struct OpenScope {
  const void *Function;    ///< the RecordFunction; null: a layer
  uint64_t Number;         ///< 0: it was not recorded
  uintptr_t Frame, Module; ///< of a layer; the module's identity
};

/// What a thread knows of its scopes.
struct TorchState {
  OpenScope *Scopes; ///< null: there is no memory for them
  uint32_t Count;
  uint64_t NextNumber, EndNumber; ///< of scopes, that are the thread's own
};

/// Of the calling thread.
extern __thread TorchState ThisTorch __attribute__((tls_model("initial-exec")));

void releaseTorchState(TorchState &S);

/// The observer. Any thread.
class Operators {
public:
  /// Registers the observer, once in a process that has not its parent's.
  void attach();
  bool isAttached() const {
    return State.load(std::memory_order_acquire) == Attached;
  }

  enum class Kind : uint32_t { Operator, Node, Range };
  void begin(Thread &T, const void *Function, Kind K, const Frame &Caller);
  void end(Thread &T, const void *Function);
  /// A scope of another kind begins: it is in the layers that run.
  void beforeScope(Thread &T, const Frame &Caller) {
    if (__builtin_expect(isAttached(), 0))
      noteLayers(T, Caller);
  }
  /// The optimizer whose step is the innermost among the frames of Python that
  /// the thread was last seen in; 0: there is none.
  static uintptr_t runningOptimizer();
  bool isProbe(const void *Function) const {
    return Probe.load(std::memory_order_relaxed) == Function;
  }
  void lookAtProbe(const void *Function);

private:
  enum : uint32_t { New = 0, Attaching = 1, Attached = 2, Missing = 3 };
  bool find();
  void attachChild();
  void beginForwards();
  void followLayers(Thread &T, uint32_t N);
  void noteLayers(Thread &T, const Frame &Caller);
  void open(Thread &T, const OpenScope &S, uint32_t Text, uint64_t Flags,
            uint64_t Detail);
  void closeFrom(Thread &T, uint32_t First);
  static uintptr_t optimizerOf(const char *Range);
  uint64_t newNumber(TorchState &S);
  void findSequence();
  int64_t sequenceOf(const void *Function) const;
  static constexpr uint32_t ProbeWords = 128;

  std::atomic<uint32_t> State{New};
  const char *(*NameOf)(const void *) = nullptr;
  std::atomic<const void *> Probe{nullptr};
  std::atomic<uint32_t> SequenceWord{0}; ///< of a RecordFunction; 0: unknown
  /// By sequence number: that, and the number of the operator's scope.
  struct Forward {
    std::atomic<int64_t> Sequence;
    std::atomic<uint64_t> Number;
  };
  static constexpr uint32_t NumForwards = 1 << 18;
  std::atomic<Forward *> Forwards{nullptr};
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_OPERATORS_H
