// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A consumer of decoded blocks.

#ifndef MEMKIT_TRACE_BLOCKVISITOR_H
#define MEMKIT_TRACE_BLOCKVISITOR_H

#include "memkit/Trace/TraceReader.h"

namespace memkit {

/// Takes the blocks of a trace in file order. Every function does nothing
/// unless overridden, so that a consumer names only what it wants.
class BlockVisitor {
public:
  virtual ~BlockVisitor();
  virtual llvm::Error visit(const BlockInfo &, const Header &);
  virtual llvm::Error visit(const BlockInfo &, const Dictionary &);
  virtual llvm::Error visit(const BlockInfo &, const Events &);
  virtual llvm::Error visit(const BlockInfo &, const Marks &);
  virtual llvm::Error visit(const BlockInfo &, const Intervals &);
  virtual llvm::Error visit(const BlockInfo &, const Snapshot &);
  virtual llvm::Error visit(const BlockInfo &, const Summary &);
  virtual llvm::Error visit(const BlockInfo &, const Index &);
  virtual llvm::Error visit(const BlockInfo &, const Lifetimes &);
};

/// Gives every block of Stream to V until the end or the first error.
llvm::Error visitBlocks(BlockStream &Stream, BlockVisitor &V);

} // namespace memkit

#endif // MEMKIT_TRACE_BLOCKVISITOR_H
