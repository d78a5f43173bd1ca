// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the operators and layers that a thread runs.
//
// PyTorch calls an observer at the start and end of each operator, autograd
// node and user range (at::RecordFunction). memkit's observer records each as a
// scope. At each start the observer compares the modules (nn.Module) in the
// thread's Python frames with the open layers: layers without a frame end, and
// new frames start layers. An autograd node belongs to the operator of the
// forward pass with the same sequence number.
//
// The observer has the structure of at::RecordFunctionCallback (1.13 to 2.13).
// The offset of the sequence number in a RecordFunction is found in one that
// memkit makes with a known number.

#ifndef MEMKIT_CAPTURE_TORCH_OPERATORS_H
#define MEMKIT_CAPTURE_TORCH_OPERATORS_H

#include "Runtime/ScopeStack.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memkit::capture {

struct CallerFrame;

/// PyTorch's scopes of the calling thread. OpenScope::Function: the
/// RecordFunction; null: a layer. OpenScope::Object: the module's identity.
extern __thread ScopeStack ThisTorch __attribute__((tls_model("initial-exec")));

/// The observer. Any thread.
class Operators {
public:
  /// Registers the observer, once; a child of fork takes over its parent's.
  void attach();
  bool isAttached() const {
    return State.load(std::memory_order_acquire) == Attached;
  }

  /// The recording of a program that ran before it ends: the next operator
  /// takes the observer out.
  static void leave();
  /// The same program is recorded again.
  static void stay();

  enum class ObservedKind : uint32_t { Operator, Node, Range };
  void begin(ThreadState &T, const void *Function, ObservedKind K,
             const CallerFrame &Caller);
  void end(ThreadState &T, const void *Function);
  /// Before a scope of another kind starts: updates the layers around the
  /// scope.
  void beforeScope(ThreadState &T, const CallerFrame &Caller) {
    if (__builtin_expect(isAttached(), 0))
      noteLayers(T, Caller);
  }
  /// The optimizer with the innermost step among the Python frames of the
  /// thread's last walk; 0: none.
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
  void followLayers(ThreadState &T, uint32_t N);
  void noteLayers(ThreadState &T, const CallerFrame &Caller);
  static uintptr_t optimizerOf(const char *Range);
  void findSequence();
  int64_t sequenceOf(const void *Function) const;
  static constexpr uint32_t ProbeWords = 128;

  std::atomic<uint32_t> State{New};
  const char *(*NameOf)(const void *) = nullptr;
  std::atomic<const void *> Probe{nullptr};
  std::atomic<uint32_t> SequenceWord{0}; ///< of a RecordFunction; 0: unknown
  /// An operator of the forward pass, by sequence number: the number of the
  /// operator's scope.
  struct ForwardScope {
    std::atomic<int64_t> Sequence;
    std::atomic<uint64_t> Number;
  };
  static constexpr uint32_t NumForwards = 1 << 18;
  std::atomic<ForwardScope *> Forwards{nullptr};
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_OPERATORS_H
