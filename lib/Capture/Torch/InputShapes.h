// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dtypes and shapes of an operator's inputs, as texts in shared memory.
//
// A text has the tensors in their order, also those in lists:
// `float32[64,128] float32[128]`. A tensor whose sizes are not its own has
// `[?]`. After MaxTensors tensors the text ends with ` ...`.
//
// A convolution's result depends on numbers, too. They follow the tensors where
// they are not the usual ones: ` stride=2,2 padding=1,1 dilation=2,2
// transposed output_padding=1,1`, `?` for numbers that cannot be read; of the
// backward pass ` transposed mask=1,1,0`, the gradients that are computed.
//
// Each combination is written once. A table finds the text of a combination by
// a hash of 64 bits of its dtypes and sizes; nothing is locked, and no text is
// made on the way of a known combination.

#ifndef MEMKIT_CAPTURE_TORCH_INPUTSHAPES_H
#define MEMKIT_CAPTURE_TORCH_INPUTSHAPES_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memkit::capture {

struct ThreadState;

/// All zeros at the start. Any thread.
class InputShapes {
public:
  /// The number of the text of the inputs of a RecordFunction, during its start
  /// callback; \p Name: of the operator. Records the dtypes of the inputs'
  /// memory (TensorDtypes.h). 0: no tensors, no room, or a combination after
  /// the first MaxTexts. TorchLayout must be known.
  uint32_t textOf(ThreadState &T, const void *Function, const char *Name);

  static constexpr uint32_t MaxTexts = 32768, MaxTensors = 24;

private:
  struct ShapeSlot {
    std::atomic<uint64_t> Hash; ///< 0: free
    std::atomic<uint32_t> Text; ///< 0: not written yet
  };
  static constexpr uint32_t NumSlots = 2 * MaxTexts, MaxSteps = 64;
  ShapeSlot *table();
  ShapeSlot *slotOf(ShapeSlot &Table, uint64_t Hash);

  std::atomic<ShapeSlot *> Table{nullptr};
  std::atomic<uint32_t> Count{0};
  std::atomic<bool> HasNoRoom{false}; ///< for texts
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_INPUTSHAPES_H
