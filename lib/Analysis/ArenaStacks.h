// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks that allocate CPython's arenas.
//
// CPython puts small objects into arenas (256 KiB, from 3.10 on 1 MiB), and
// maps one for whichever line finds the others full. The line says nothing of
// the arena: what grows there, or differs between two runs, is told of the
// arenas of a heap together.
//
// The functions that map arenas are static. Where the interpreter has no names
// for them (Debian's), arenas come from a call in the interpreter's code below
// which all mappings have an arena's size.

#ifndef MEMKIT_LIB_ANALYSIS_ARENASTACKS_H
#define MEMKIT_LIB_ANALYSIS_ARENASTACKS_H

#include "memkit/Model/SelectedStats.h"
#include <vector>

namespace memkit {

/// Of one trace, which outlives it.
class ArenaStacks {
public:
  explicit ArenaStacks(const SelectedStats &S);

  /// Whether the stack (its number in the trace) allocates an arena.
  bool isArena(uint32_t Stack) const;

private:
  void mark(uint32_t Frame);
  void markNamed();
  void markCallers(const SelectedStats &S);
  bool isUnnamedInterpreter(uint32_t Frame) const;

  const Trace &T;
  std::vector<bool> Frames; ///< by Trace::frameOf(); empty: there are none
};

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_ARENASTACKS_H
