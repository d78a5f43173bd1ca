// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How deep in the stack a scope was entered.

#ifndef MEMKIT_LIB_RECORD_SCOPEDEPTH_H
#define MEMKIT_LIB_RECORD_SCOPEDEPTH_H

#include "Shared/SharedProcess.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace memkit {

/// Counts the frames of a process's stacks as MixedStacks merges them. Each
/// answer is kept: scopes are entered at few places. Belongs to the recorder's
/// thread.
class ScopeDepth {
public:
  explicit ScopeDepth(SharedProcess &Shared) : Shared(Shared) {}

  /// The frames that a stack of the trace has for the shared node Node up to
  /// the function that entered the scope, this one included. InPackage: the
  /// innermost Python frames are the package memkit's own, and what lies below
  /// them; they do not count.
  uint32_t at(uint32_t Node, bool InPackage);

private:
  using Path = llvm::SmallVector<SharedProcess::CodeInfo, 128>;
  uint32_t count(uint32_t Node, bool InPackage);
  /// Innermost first.
  Path path(uint32_t Node);
  bool isPackage(const SharedProcess::CodeInfo &C);

  static constexpr size_t MaxKnown = 1 << 16;
  SharedProcess &Shared;
  llvm::DenseMap<uint64_t, uint32_t> Known;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SCOPEDEPTH_H
