// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scopes of a thread over time.

#ifndef MEMKIT_LIB_MODEL_SCOPEOCCURRENCES_H
#define MEMKIT_LIB_MODEL_SCOPEOCCURRENCES_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace memkit {

/// Derives from the scope paths of a thread's allocations the scopes that the
/// thread entered and left. A scope lasts from its first allocation to its
/// last. So a scope without allocations does not appear, and two calls of a
/// scope with no other allocation between them are one span.
class ScopeOccurrences {
public:
  /// One scope of one thread.
  struct ScopeOccurrence {
    uint32_t Thread = 0;
    uint32_t ScopePath = 0; ///< ends with the scope of the span
    uint32_t Depth = 0;     ///< number of enclosing scopes
    uint64_t BeginNs = 0;   ///< time of the first allocation
    uint64_t LastNs = 0;    ///< time of the last allocation so far
  };
  /// Called at the begin and at the end of each scope. Inner scopes end before
  /// outer scopes.
  using ScopeCallback =
      llvm::function_ref<void(const ScopeOccurrence &, bool Begins)>;

  /// ScopePaths: of a trace; they must outlive this object.
  explicit ScopeOccurrences(llvm::ArrayRef<ScopePath> ScopePaths)
      : ScopePaths(ScopePaths) {}

  /// Adds the next allocation of Thread.
  void allocation(uint32_t Thread, uint32_t ScopePath, uint64_t TimeNs,
                  ScopeCallback Do);
  /// Ends all open scopes.
  void finish(ScopeCallback Do);

private:
  /// Deeper scopes are merged into the scope of this depth.
  static constexpr size_t MaxDepth = 256;

  struct OpenOccurrence {
    uint32_t Now = 0; ///< scope path of the last allocation
    std::vector<ScopeOccurrence> Spans;
  };
  void close(OpenOccurrence &O, size_t Depth, ScopeCallback Do);

  llvm::ArrayRef<ScopePath> ScopePaths;
  std::vector<OpenOccurrence> Threads; ///< by id
  std::vector<uint32_t> Path;
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_SCOPEOCCURRENCES_H
