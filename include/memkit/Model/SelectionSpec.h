// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A caller's choice of a part of a trace.
//
// Texts and numbers alone: Selection finds the part in a trace.

#ifndef MEMKIT_MODEL_SELECTIONSPEC_H
#define MEMKIT_MODEL_SELECTIONSPEC_H

#include "memkit/Model/TimePointSpec.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memkit {

class Rules;

/// Patterns of one kind are alternatives, kinds narrow
/// each other.
struct SelectionSpec {
  std::vector<std::string> Heaps; ///< globs of heap names
  std::vector<std::string>
      Processes; ///< process ids (`#2`), pids, globs of programs
  std::vector<std::string> Threads;    ///< tids or globs of names
  std::vector<std::string> Stacks;     ///< extended regular expressions
  std::vector<std::string> ScopePaths; ///< globs of scope paths
  std::vector<std::string> Layers;     ///< globs of module paths
  uint64_t MinSize = 0;                ///< of an allocation, bytes
  /// Blocks allocated from Since to before Until; those that live At a time
  /// point, as they are then.
  std::optional<TimePointSpec> Since, Until, At;
  /// Patterns and times that the trace has nothing of choose nothing, and are
  /// no error: another trace may have it.
  bool MayMatchNothing = false;
  /// How stacks are shown, no part of the selection: nothing is folded.
  bool AllFrames = false;
  /// What names say, no part of the selection; null: the built-in rules.
  std::shared_ptr<const Rules> Names;

  bool empty() const {
    return Heaps.empty() && Processes.empty() && Threads.empty() &&
           Stacks.empty() && ScopePaths.empty() && Layers.empty() &&
           MinSize == 0 && !Since && !Until && !At;
  }
};

} // namespace memkit

#endif // MEMKIT_MODEL_SELECTIONSPEC_H
