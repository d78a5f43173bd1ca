// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caches of libraries that fill up to a known bound, and heaps that a garbage
// collector keeps small.

#ifndef MEMKIT_LIB_ANALYSIS_BOUNDEDCACHES_H
#define MEMKIT_LIB_ANALYSIS_BOUNDEDCACHES_H

#include "memkit/Model/Trace.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

/// The bounded caches and heaps of a trace. One thread at a time.
class BoundedCaches {
public:
  explicit BoundedCaches(const Trace &T) : T(T) {}
  /// The cache or heap that may hold Blocks live blocks of a stack, with its
  /// bound, in a few words; empty: none is known, or the blocks are more than
  /// its bound.
  llvm::StringRef of(uint32_t Stack, uint64_t Blocks);

private:
  bool fillsLruCache(uint32_t Stack);

  const Trace &T;
  llvm::DenseMap<uint32_t, bool> FillsBelow; ///< by node that calls a cache
};

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_BOUNDEDCACHES_H
