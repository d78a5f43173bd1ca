// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks modules and optimizers for their tensors.
//
// Each module and optimizer is asked once, at a point where the interpreter
// runs pending calls. For most tensors the scope of the allocation gives the
// category; a tensor that the program makes or loads itself and then hands to a
// module or optimizer needs the question.

#ifndef MEMKIT_CAPTURE_TORCH_HELDTENSORS_H
#define MEMKIT_CAPTURE_TORCH_HELDTENSORS_H

#include <atomic>
#include <cstdint>

namespace memkit::capture {

class HeldTensors {
public:
  /// Records the module's own parameters and buffers, with their sizes unless
  /// the module is a replica. \p Name: the text of the module's name. With the
  /// interpreter's lock held.
  void reportModule(void *Module, uint32_t Name, bool IsReplica);
  /// The calling thread runs a step of an optimizer. At the first step, asks
  /// the optimizer for its tensors soon.
  void noteOptimizer(uintptr_t Optimizer);

private:
  static int answer(void *);
  void reportOptimizer(void *Optimizer);

  static constexpr uint32_t MaxOptimizers = 64;
  std::atomic<uintptr_t> Known[MaxOptimizers] = {};
  std::atomic<uint32_t> Count{0};
  std::atomic<uintptr_t> Asked{0};
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_HELDTENSORS_H
