// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of PyTorch's operators.

#ifndef MEMKIT_LIB_RECORD_TORCHOPERATORS_H
#define MEMKIT_LIB_RECORD_TORCHOPERATORS_H

#include "Scopes/ScopeThreads.h"

namespace memkit {

/// Looks at each name once. Belongs to the recorder's thread.
class TorchOperators {
public:
  explicit TorchOperators(ScopeThreads &Threads) : Threads(Threads) {}

  /// An operator's name, and its row in the table of operators.
  struct OperatorName {
    uint32_t Row = 0;
    bool IsEngine = false; ///< autograd's work around a node
    TrainingPlace Outside = TrainingPlace::Computing; ///< outside of passes
  };
  /// IsNode: a node of autograd.
  const OperatorName &name(uint32_t Text, bool IsNode);

private:
  ScopeThreads &Threads;
  /// By text, times 2, plus 1 for nodes of autograd.
  llvm::DenseMap<uint64_t, OperatorName> Names;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TORCHOPERATORS_H
