// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups scope paths into a tree for display.

#ifndef MEMKIT_MODEL_SCOPEVIEW_H
#define MEMKIT_MODEL_SCOPEVIEW_H

#include "memkit/Model/GroupBy.h"
#include "memkit/Model/Trace.h"
#include <deque>

namespace memkit {

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
