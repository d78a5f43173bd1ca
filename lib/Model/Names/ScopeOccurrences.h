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

/// Derives the scopes that a thread entered and left from the changes of the
/// thread's scope path, or, in a trace without these, from the scope paths of
/// the thread's allocations. In the latter case a scope lasts from its first
/// allocation to its last. So a scope without allocations does not appear, and
/// two calls of a scope with no other allocation between them are one span.
class ScopeOccurrences {
public:
  /// One scope of one thread.
  struct ScopeOccurrence {
    uint32_t Thread = 0;
    uint32_t ScopePath = 0; ///< ends with the scope of the span
    uint32_t Depth = 0;     ///< number of enclosing scopes
    uint64_t BeginNs = 0;   ///< or time of the first allocation
    /// At the end: its time, or the time of the last allocation.
    uint64_t LastNs = 0;
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
  /// Thread is in the scope path from TimeNs on. A thread has either changes or
  /// allocations.
  void change(uint32_t Thread, uint32_t ScopePath, uint64_t TimeNs,
              ScopeCallback Do);
  /// Ends all open scopes, those of changes at EndNs.
  void finish(uint64_t EndNs, ScopeCallback Do);

private:
  /// Deeper scopes are merged into the scope of this depth.
  static constexpr size_t MaxDepth = 256;

  struct OpenOccurrence {
    uint32_t Now = 0; ///< scope path of the last allocation or change
    bool HasChanges = false;
    std::vector<ScopeOccurrence> Spans;
  };
  OpenOccurrence &of(uint32_t Thread);
  void enter(OpenOccurrence &O, uint32_t Thread, uint32_t ScopePath,
             uint64_t TimeNs, ScopeCallback Do);
  void close(OpenOccurrence &O, size_t Depth, uint64_t TimeNs,
             ScopeCallback Do);

  llvm::ArrayRef<ScopePath> ScopePaths;
  std::vector<OpenOccurrence> Threads; ///< by id
  std::vector<uint32_t> Path;
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_SCOPEOCCURRENCES_H
