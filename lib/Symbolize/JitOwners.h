// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes whose stacks have a frame.

#ifndef MEMKIT_LIB_SYMBOLIZE_JITOWNERS_H
#define MEMKIT_LIB_SYMBOLIZE_JITOWNERS_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// Finds the processes of frames of unknown code: the same address is other
/// code in another process. Ids in the sections are not trusted.
class JitOwners {
public:
  void add(const Dictionary &D);
  void add(const Summary &S);

  /// The processes with the frame Id in a stack of the summary, from 1, in no
  /// order.
  llvm::ArrayRef<uint32_t> owners(uint32_t Frame) const;

private:
  struct UnknownNode {
    uint32_t Frame = 0;
    uint32_t Above = 0; ///< the next node towards the root, 0: none
  };
  /// Nodes whose frame is unknown code; [0] is none.
  std::vector<UnknownNode> Nodes = {{}};
  /// By node of the trace: the nearest node of Nodes from here to the root.
  std::vector<uint32_t> Nearest = {0};
  std::vector<uint32_t> Leaves = {0};    ///< by stack
  std::vector<bool> IsUnknown = {false}; ///< by frame
  llvm::DenseSet<uint64_t> Seen;         ///< process and node of Nodes
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 2>> Owners;
};

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_JITOWNERS_H
