// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The depth of the stack at which a scope was entered.

#ifndef MEMKIT_LIB_RECORD_SCOPEDEPTH_H
#define MEMKIT_LIB_RECORD_SCOPEDEPTH_H

#include "Shared/SharedProcess.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace memkit {

/// Counts the frames of a process's stacks after MixedStacks has merged them.
/// Keeps each answer: scopes are entered at few places. Belongs to the
/// recorder's thread.
class ScopeDepth {
public:
  explicit ScopeDepth(SharedProcess &Shared) : Shared(Shared) {}

  /// The number of frames, in the trace's stack for shared node Node, from the
  /// outermost frame to the function that entered the scope, inclusive.
  /// InPackage: the innermost Python frames belong to the package memkit; these
  /// frames and the frames that they call do not count.
  uint32_t at(uint32_t Node, bool InPackage);

private:
  using CodePath = llvm::SmallVector<SharedProcess::CodeInfo, 128>;
  uint32_t count(uint32_t Node, bool InPackage);
  /// The frames of Node, innermost first.
  CodePath path(uint32_t Node);
  bool isPackage(const SharedProcess::CodeInfo &C);

  static constexpr size_t MaxKnown = 1 << 16;
  SharedProcess &Shared;
  llvm::DenseMap<uint64_t, uint32_t> Known;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SCOPEDEPTH_H
