// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of Keras's layers.
//
// A layer is known by its address. The name of a layer is its `path`,
// `net/encoder/dense`. When a layer is first seen running, a pending call asks
// the outermost layer that runs for all layers in it, at a point that the
// interpreter chooses. A weak reference with a callback reports a layer's
// death, because another layer may get the address then.

#ifndef MEMKIT_CAPTURE_TENSORFLOW_KERASNAMES_H
#define MEMKIT_CAPTURE_TENSORFLOW_KERASNAMES_H

#include "Python/ModuleTable.h"
#include "Python/NameQuestions.h"
#include "Python/WaitingNames.h"

#include <cstdint>

namespace memkit::capture::tf {

class KerasNames {
public:
  /// \p E: the interpreter's symbols.
  void begin(const Exports &E) { Questions.begin(E); }

  /// The text of the name of the running layer at \p Layer, or of its class,
  /// with wire::SF_Unnamed, while the name is unknown. Any thread.
  uint64_t textOf(uintptr_t Layer) {
    uint32_t Text = Table.find(Layer);
    return __builtin_expect(Text != 0, 1) ? Text : unnamed(Layer);
  }

  /// A layer in no other layer runs. The first run may make variables of the
  /// layers inside, so the second run asks for the variables again. Any thread.
  void outermostRuns(uintptr_t Layer);
  /// A tf.function is called, in which layers may run without frames of Python.
  void functionRuns() {
    if (__builtin_expect(HasNew.load(std::memory_order_relaxed), 0))
      askAgain();
  }

private:
  uint64_t unnamed(uintptr_t Layer);
  void askAgain();

  // By the interpreter, with its lock held.
  static int answer(void *);
  static void *dies(void *Number, void *Reference);
  void nameRunning();
  void reportRoots();
  void nameAll(void *Root);
  void nameOne(void *Layer);
  bool watch(void *Layer);

  static constexpr uint32_t MaxRoots = 16;
  struct RootLayer {
    std::atomic<uintptr_t> Layer;
    std::atomic<bool> IsReported; ///< after the first run
  };
  RootLayer Roots[MaxRoots];
  std::atomic<bool> HasNew{false}; ///< a root that is not reported
  std::atomic<bool> Again{false};  ///< the question is for the roots, too
  ModuleTable Table;
  WaitingNames Waits;
  NameQuestions Questions; ///< about running layers
};

/// Those of this process.
KerasNames &kerasNames();

} // namespace memkit::capture::tf

#endif // MEMKIT_CAPTURE_TENSORFLOW_KERASNAMES_H
