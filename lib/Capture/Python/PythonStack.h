// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes for stacks of Python.
//
// From the Python frames of the calling thread to a node of the shared tree.
//
// A thread keeps its last walk. A new one goes from the innermost frame
// outwards; where it comes to a frame of the last one it compares this and all
// further out with what they were. A frame of the last walk is read only when a
// frame that runs now has it as its caller.

#ifndef MEMKIT_CAPTURE_PYTHON_PYTHONSTACK_H
#define MEMKIT_CAPTURE_PYTHON_PYTHONSTACK_H

#include <cstdint>

namespace memkit::capture {

/// A frame of the last walk.
struct KnownPython {
  uintptr_t Frame;
  uintptr_t Previous;
  uintptr_t Place; ///< what is compared, as the walk reads it
  uint32_t Node;
  uint32_t Code; ///< 0: it has no node of its own
};

struct NewPython {
  uintptr_t Frame, Previous, Place;
};

struct PythonState {
  KnownPython *Known; ///< outermost first
  NewPython *New;     ///< innermost first
  uint16_t *Where;    ///< by a frame's address: where it stands in Known
  char *Buffer;       ///< for a text
  uint32_t Capacity;  ///< 0: none of them is allocated
  uint32_t Count;     ///< of Known
  uint32_t Exact;     ///< so many have their own nodes: the stack is not deep
  uint32_t Generation;
  /// The thread holds the interpreter's lock: an object is being recorded.
  uint32_t HasLock;
  uint32_t LastNative, LastPython, LastPair; ///< Pair 0: none
  /// Where in Known calls of modules of PyTorch stand (see LayerBit).
  static constexpr uint32_t MaxLayers = 64;
  uint16_t NumLayers, Layers[MaxLayers];
};

/// Of the calling thread. The nodes of its frames: Stacks/InterpreterFrames.h.
extern __thread PythonState ThisPython
    __attribute__((tls_model("initial-exec")));

/// Nothing that the thread knows is good any more.
inline void resetPythonState(PythonState &S) {
  S.Count = S.Exact = 0;
  S.NumLayers = 0;
  S.LastPair = 0;
}

/// Gives back what the thread holds for it.
void releasePythonState(PythonState &S);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_PYTHONSTACK_H
