// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of Keras and TensorFlow among a thread's Python frames.

#ifndef MEMKIT_CAPTURE_TENSORFLOW_CALLWALK_H
#define MEMKIT_CAPTURE_TENSORFLOW_CALLWALK_H

#include "Python/PythonStack.h"
#include "Python/PythonWalk.h"

namespace memkit::capture::tf {

/// A local variable of a frame; 0: not set.
uintptr_t localOf(uintptr_t Frame, unsigned Number);
inline CallRole roleOf(const KnownPython &Of) {
  return CallRole(Of.Code & RoleMask);
}

struct PythonCall {
  uintptr_t Frame;
  uintptr_t Object; ///< the layer or the optimizer
  CallRole Role;
};

/// Visits the calls of layers and optimizers in the thread's last walk,
/// outermost first. The two calls that a layer makes of itself are one. A layer
/// or optimizer that runs while a graph is made runs no operator of its own.
class PythonCallWalk {
public:
  /// False: there is no further call.
  bool next(PythonCall &To);

private:
  uint32_t I = 0;
  uintptr_t Last = 0; ///< the last layer
};

} // namespace memkit::capture::tf

#endif // MEMKIT_CAPTURE_TENSORFLOW_CALLWALK_H
