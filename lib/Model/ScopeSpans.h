// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a thread was in which scopes.

#ifndef MEMKIT_LIB_MODEL_SCOPESPANS_H
#define MEMKIT_LIB_MODEL_SCOPESPANS_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace memkit {

/// Makes of the scope paths of a thread's allocations the scopes that it
/// entered and left. A scope is seen from its first allocation to its last, so
/// one without an allocation is not seen at all, and calls of one scope between
/// which nothing else allocated are one span.
class ScopeSpans {
public:
  /// One scope of one thread.
  struct Span {
    uint32_t Thread = 0;
    uint32_t ScopePath = 0; ///< its innermost scope is the one meant
    uint32_t Depth = 0;     ///< scopes around it
    uint64_t BeginNs = 0;   ///< its first allocation
    uint64_t LastNs = 0;    ///< its last one so far
  };
  /// Is told of each scope that begins, and of each that is over; those within
  /// a scope are over before it.
  using Change = llvm::function_ref<void(const Span &, bool Begins)>;

  /// ScopePaths of a trace, which must outlive this.
  explicit ScopeSpans(llvm::ArrayRef<ScopePath> ScopePaths)
      : ScopePaths(ScopePaths) {}

  /// The next allocation of Thread.
  void allocation(uint32_t Thread, uint32_t ScopePath, uint64_t TimeNs,
                  Change Do);
  /// All that is open is over.
  void finish(Change Do);

private:
  /// Deeper scopes belong to the one at this depth.
  static constexpr size_t MaxDepth = 256;

  struct Open {
    uint32_t Now = 0; ///< scope path of the last allocation
    std::vector<Span> Spans;
  };
  void close(Open &O, size_t Depth, Change Do);

  llvm::ArrayRef<ScopePath> ScopePaths;
  std::vector<Open> Threads; ///< by id
  std::vector<uint32_t> Path;
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_SCOPESPANS_H
