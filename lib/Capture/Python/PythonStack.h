// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes for stacks of Python.
//
// Maps the Python frames of the calling thread to a node of the shared tree. A
// thread keeps its last walk. A new walk goes from the innermost frame
// outwards. At a frame of the last walk, the new walk compares the frame and
// all outer frames with the kept values. A frame of the last walk is read only
// as the caller of a frame that runs now.

#ifndef MEMKIT_CAPTURE_PYTHON_PYTHONSTACK_H
#define MEMKIT_CAPTURE_PYTHON_PYTHONSTACK_H

#include <cstdint>

namespace memkit::capture {

/// A frame of the last walk.
struct KnownPython {
  uintptr_t Frame;
  uintptr_t Previous;
  uintptr_t Place; ///< the compared value: PythonWalk's placeOf()
  uint32_t Node;
  uint32_t Code; ///< 0: no node of its own

  bool isCoded() const; ///< has a node of its own
};

struct NewPython {
  uintptr_t Frame, Previous, Place;
};

/// Indices in PythonThread::Known, outermost first. In memory of the thread's
/// walks: a library that a program loads late has little thread-local memory.
struct MarkedFrames {
  static constexpr uint32_t MaxFrames = 64;
  uint16_t *At;
  uint32_t Count;

  void add(uint16_t I) {
    if (Count < MaxFrames)
      At[Count++] = I;
  }
  /// Keeps frames before \p End.
  void cut(uint32_t End) {
    while (Count && At[Count - 1] >= End)
      --Count;
  }
};

struct PythonThread {
  KnownPython *Known; ///< outermost first
  NewPython *New;     ///< innermost first
  uint32_t *Where;    ///< index in Known, by the frame's address
  char *Buffer;       ///< for a text
  uint32_t Capacity;  ///< 0: no memory
  uint32_t Count;     ///< of Known
  uint32_t Exact;     ///< the number of outer frames with exact nodes
  uint32_t Generation;
  /// Of the outermost Counted frames, Coded have a node of their own. Kept for
  /// a stack that is too deep.
  uint32_t Counted, Coded;

  /// Only the \p End outermost frames of the last walk are left.
  void cut(uint32_t End) {
    Count = End;
    Layers.cut(End);
    Calls.cut(End);
    for (; Counted > End; --Counted)
      Coded -= Known[Counted - 1].isCoded();
  }
  /// The thread holds the interpreter's lock: an object is being recorded.
  uint32_t HasLock;
  uint32_t LastNative, LastPython, LastPair; ///< Pair 0: none
  MarkedFrames Layers; ///< calls of PyTorch's modules (see LayerBit)
  MarkedFrames Calls;  ///< calls with a CallRole
  /// The frames that the thread works for, while it has none of its own; 0:
  /// none.
  uint32_t Adopted;
};

/// Of the calling thread. Stacks/InterpreterFrames.h gives the nodes.
extern __thread PythonThread ThisPython
    __attribute__((tls_model("initial-exec")));

/// Forgets the last walk.
inline void resetPythonState(PythonThread &S) {
  S.Count = S.Exact = S.Counted = S.Coded = 0;
  S.Layers.Count = S.Calls.Count = 0;
  S.Adopted = 0;
  S.LastPair = 0;
}

/// Frees the thread's memory for walks.
void releasePythonState(PythonThread &S);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_PYTHONSTACK_H
