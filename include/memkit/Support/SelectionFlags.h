// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags that choose a part of a trace.
//
// One definition of --heap, --process, --stack, ... for all tools: the same
// names, the same meaning, the same help. Here they are only text; Model's
// Selection says what they choose in a trace.

#ifndef MEMKIT_SUPPORT_SELECTIONFLAGS_H
#define MEMKIT_SUPPORT_SELECTIONFLAGS_H

#include "memkit/Support/TimePoint.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memkit {

/// What the flags said. Patterns of one kind are alternatives, kinds narrow
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
  /// Blocks allocated from Since to before Until; those that live At a moment,
  /// as they are then.
  std::optional<TimePoint> Since, Until, At;
  /// How stacks are shown, no part of the selection: nothing is folded.
  bool AllFrames = false;

  bool empty() const {
    return Heaps.empty() && Processes.empty() && Threads.empty() &&
           Stacks.empty() && ScopePaths.empty() && Layers.empty() &&
           MinSize == 0 && !Since && !Until && !At;
  }
};

/// The flags that a tool takes.
enum SelectionFlag : unsigned {
  SF_Heap = 1,
  SF_Process = 2,
  SF_Stack = 4,
  SF_Scope = 8,
  SF_MinSize = 16,
  SF_Thread = 32,
  SF_AllFrames = 64,
  SF_Layer = 128,
  SF_Window = 256, ///< --since, --until
  SF_At = 512,
  SF_All = 1023,
};

/// Registers the flags in Wanted as options of toolCategory(). Make it before
/// the command line is parsed and keep it while options are read.
class SelectionFlags {
public:
  explicit SelectionFlags(unsigned Wanted = SF_All);
  ~SelectionFlags();
  /// What was given; the error is a UsageError.
  llvm::Expected<SelectionSpec> spec() const;

private:
  struct Options;
  std::unique_ptr<Options> O;
};

} // namespace memkit

#endif // MEMKIT_SUPPORT_SELECTIONFLAGS_H
