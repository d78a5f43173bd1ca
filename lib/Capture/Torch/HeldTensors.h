// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose tensors are.
//
// Modules and optimizers are asked once which tensors they hold, where the
// interpreter is at rest: where a tensor was made says it of most, not of one
// that a program makes or loads itself and gives them.

#ifndef MEMKIT_CAPTURE_TORCH_HELDTENSORS_H
#define MEMKIT_CAPTURE_TORCH_HELDTENSORS_H

#include <atomic>
#include <cstdint>

namespace memkit::capture {

class HeldTensors {
public:
  /// Tells of a module's own parameters and buffers. \p Name: the text of its
  /// name. With the interpreter's lock held.
  void tellModule(void *Module, uint32_t Name);
  /// The calling thread runs the step of an optimizer. The first time it is
  /// asked for its tensors soon.
  void noteOptimizer(uintptr_t Optimizer);

private:
  static int answer(void *);
  void tellOptimizer(void *Optimizer);

  static constexpr uint32_t MaxOptimizers = 64;
  std::atomic<uintptr_t> Known[MaxOptimizers] = {};
  std::atomic<uint32_t> Count{0};
  std::atomic<uintptr_t> Asked{0};
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_HELDTENSORS_H
