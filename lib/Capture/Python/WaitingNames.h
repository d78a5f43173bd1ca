// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers that run before their names are known.
//
// A layer's name comes from the interpreter, at a point that the interpreter
// chooses. A layer that runs earlier has a text of its own in place of the
// name. Any thread; no lock.

#ifndef MEMKIT_CAPTURE_PYTHON_WAITINGNAMES_H
#define MEMKIT_CAPTURE_PYTHON_WAITINGNAMES_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memkit::capture {

class WaitingNames {
public:
  /// A text, with wire::SF_Unnamed, for the layer \p Identity of the class
  /// \p Class; the class's own text if there are too many such layers.
  uint64_t textFor(uintptr_t Identity, const char *Class, size_t Bytes);

  /// Records \p Text as the name of a layer that has run without a name.
  void tell(uintptr_t Identity, uint32_t Text);

private:
  struct Waiting {
    std::atomic<uintptr_t> Identity;
    std::atomic<uint32_t> Text;
  };
  static constexpr uint32_t MaxWaiting = 128;
  /// The room for texts is bounded.
  static constexpr uint32_t MaxUnnamed = 1 << 14;
  Waiting Waits[MaxWaiting] = {};
  std::atomic<uint32_t> Next{0};
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_WAITINGNAMES_H
