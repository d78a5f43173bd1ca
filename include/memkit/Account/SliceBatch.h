//===- SliceBatch.h - Gathers slices to blocks ------------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_ACCOUNT_SLICEBATCH_H
#define MEMKIT_ACCOUNT_SLICEBATCH_H

#include "memkit/Trace/Blocks.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace memkit {

/// The slices of a process on their way to blocks of at most MaxBlockRows rows.
/// A slice that has more goes on in the next block, as Blocks.h says.
class SliceBatch {
public:
  using Writer = llvm::function_ref<llvm::Error(const Slices &)>;

  explicit SliceBatch(uint32_t Process) { Block.Process = Process; }

  /// Takes S; writes what makes a block.
  llvm::Error add(const Slice &S, Writer Write);
  /// Writes what is left.
  llvm::Error flush(Writer Write);

private:
  Slices Block;
  size_t Rows = 0;
};

} // namespace memkit

#endif // MEMKIT_ACCOUNT_SLICEBATCH_H
