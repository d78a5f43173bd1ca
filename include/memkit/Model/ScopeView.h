// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups scope paths into a tree for display.

#ifndef MEMKIT_MODEL_SCOPEVIEW_H
#define MEMKIT_MODEL_SCOPEVIEW_H

#include "memkit/Model/Trace.h"
#include <deque>

namespace memkit {

/// The contents of a view's frames.
enum class GroupBy {
  Stack,
  /// Layers nested by their calls and paths, below the phases of training.
  Layer,
  /// The operators inside the innermost scope of another kind.
  Operator,
  Scope,     ///< names from the program: ranges and scopes of its own
  ScopePath, ///< all scopes
  Function,  ///< functions of the code; equal names are one function
  File,      ///< files of the code; consecutive frames of a file are one frame
  Binary,    ///< binaries of the code, likewise
  Thread,    ///< stacks below the threads that allocated
  Heap,      ///< stacks below heaps
  Size,      ///< stacks below classes of size, powers of two
  Step,      ///< stacks below the steps of the allocations
  /// Stacks with scope paths inserted at the frame that entered the scope.
  Mixed,
  Category, ///< categories of tensors: parameters, gradients, ...
  Dtype,    ///< stacks below the dtypes of tensors
  Library,  ///< stacks below the libraries that asked for memory
  Line,     ///< lines of source; in tables see StatsQuery.h
};
/// Whether keys are scope paths, so the stats must be by scope path, too.
inline bool isOfScopes(GroupBy By) {
  return By == GroupBy::Layer || By == GroupBy::Operator ||
         By == GroupBy::Scope || By == GroupBy::ScopePath;
}

/// The name of a kind: `layer`, `operator`, `range`, `scope` (of the program),
/// `phase`, `line`.
llvm::StringRef scopeKindName(ScopeKind K);

/// Scope paths as a tree of the scopes that a grouping shows. Keys are scope
/// paths (0: none), as stacks are the keys of a stack tree. Each scope path has
/// a leaf: a path without shown scopes has the one frame `(no layer)`.
struct ScopeView {
  StackView Tree;
  /// By frame of the tree - 1. File holds the scope's kind, so that scopes of
  /// equal name and different kind stay separate.
  std::vector<ShownFrame> Frames;
  std::deque<std::string> Texts; ///< texts of frames that the trace lacks
};

/// By: a grouping of isOfScopes(). Texts belong to T. Takes time in proportion
/// to the scope paths and the parts of layers' paths.
ScopeView groupScopes(const Trace &T, GroupBy By);

/// A tree to draw, with the shown frames: the stacks of a trace, as in view(),
/// or a ScopeView. Refers to both; cheap to copy.
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
  /// The shown functions of all frames, in one piece.
  llvm::ArrayRef<ShownFrame> allShown() const {
    return ScopePaths ? llvm::ArrayRef(ScopePaths->Frames) : T->allShown();
  }

private:
  const Trace *T;
  const ScopeView *ScopePaths = nullptr;
};

} // namespace memkit

#endif // MEMKIT_MODEL_SCOPEVIEW_H
