// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scope tree as it is shown.

#ifndef MEMKIT_MODEL_SCOPEVIEW_H
#define MEMKIT_MODEL_SCOPEVIEW_H

#include "memkit/Model/Trace.h"
#include <deque>

namespace memkit {

/// What the frames of a view are.
enum class GroupBy {
  Stack,
  /// Layers nested by their calls and paths, below the phases of training.
  Layer,
  /// The operators in the innermost scope of another kind.
  Operator,
  Scope,     ///< what the program named: ranges and its own scopes
  ScopePath, ///< all of them
  Function,  ///< of the code, functions of one name being one
  File,      ///< files of the code: consecutive frames of one are one
  Binary,    ///< the same with binaries
  Thread,    ///< stacks below the threads that allocated
  Heap,      ///< stacks below heaps
  Size,      ///< stacks below classes of size, powers of two
  Step,      ///< stacks below the steps in which was allocated
  Mixed,     ///< scope paths set into stacks, where they were entered
  Category,  ///< what tensors are: parameters, gradients, ...
  Library,   ///< stacks below the libraries that asked for memory
  Line,      ///< of source; in tables alone, see StatsQuery.h
};
/// Whether keys are scope paths: the sums must be.
inline bool isOfScopes(GroupBy By) {
  return By == GroupBy::Layer || By == GroupBy::Operator ||
         By == GroupBy::Scope || By == GroupBy::ScopePath;
}

/// `layer`, `operator`, `range`, `scope` (of the program), `phase`.
llvm::StringRef scopeKindName(ScopeKind K);

/// ScopePaths as paths of the scopes that one grouping shows. Its keys are
/// scope paths (0: none) where those of a stack tree are stacks; each has a
/// leaf: what lies in none of the scopes is in one frame, `(no layer)`.
struct ScopeView {
  StackView Tree;
  /// By frame of the tree - 1. File: the scope's kind, so that what has one
  /// name but is something else is not taken for the same.
  std::vector<ShownFrame> Frames;
  std::deque<std::string> Texts; ///< that frames name and the trace lacks
};

/// By: not Stack. The texts are T's. Takes time in proportion to the scope
/// paths and the parts of layers' paths.
ScopeView groupScopes(const Trace &T, GroupBy By);

/// A tree to draw and what is shown of its frames: the stacks of a trace, as
/// its view() has them, or its scope paths. Refers to both; cheap to copy.
class ShownTree {
public:
  ShownTree(const Trace &T) : T(&T) {}
  ShownTree(const Trace &T, const ScopeView &C) : T(&T), ScopePaths(&C) {}

  const Trace &trace() const { return *T; }
  const StackView &view() const {
    return ScopePaths ? ScopePaths->Tree : T->view();
  }
  /// Innermost first; at least one.
  llvm::ArrayRef<ShownFrame> shown(uint32_t Frame) const {
    if (ScopePaths)
      return ScopePaths->Frames[Frame - 1];
    return T->shown(Frame);
  }
  uint32_t numFrames() const {
    return ScopePaths ? ScopePaths->Frames.size() : T->numFrames();
  }
  /// Of all frames, in one piece.
  llvm::ArrayRef<ShownFrame> allShown() const {
    return ScopePaths ? llvm::ArrayRef(ScopePaths->Frames) : T->allShown();
  }

private:
  const Trace *T;
  const ScopeView *ScopePaths = nullptr;
};

} // namespace memkit

#endif // MEMKIT_MODEL_SCOPEVIEW_H
