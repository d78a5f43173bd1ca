// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks that allocate CPython's arenas.
//
// CPython puts small objects into arenas (256 KiB, from 3.10 on 1 MiB). When
// all arenas are full, the next line that allocates an object maps a new arena.
// That line does not explain the arena, so growth and differences are reported
// for all arenas of a heap together.
//
// The functions that map arenas are static. Some interpreters have no names for
// these functions (Debian's). Then arenas are recognized by a call in the
// interpreter's code below which all mappings have the size of an arena.

#ifndef MEMKIT_LIB_MODEL_ARENASTACKS_H
#define MEMKIT_LIB_MODEL_ARENASTACKS_H

#include "Model/Trace/OwnCode.h"
#include "memkit/Model/SelectedStats.h"
#include <vector>

namespace memkit {

/// Whether an import statement runs at the node of a stack or in its callers,
/// and the import does not run the user's own code.
bool isImportAt(const Trace &T, const OwnCode &Own, uint32_t Node);

/// The arenas of one trace, which must outlive this object.
class ArenaStacks {
public:
  explicit ArenaStacks(const SelectedStats &S);

  /// Whether the stack (its number in the trace) allocates an arena.
  bool isArena(uint32_t Stack) const;

  /// Whether an import statement runs in the stack, and the import does not run
  /// the user's own code.
  bool isInImport(uint32_t Stack) const {
    return isImportAt(T, Own, T.leaf(Stack));
  }

private:
  void mark(uint32_t Frame);
  void markNamed();
  void markCallers(const SelectedStats &S);
  bool isUnnamedInterpreter(uint32_t Frame) const;

  const Trace &T;
  OwnCode Own;
  /// By Trace::frameOf(); empty if no frame maps arenas.
  std::vector<bool> Frames;
  /// As Frames, of the functions that map threads' stacks of Python frames.
  std::vector<bool> OfStacks;
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_ARENASTACKS_H
