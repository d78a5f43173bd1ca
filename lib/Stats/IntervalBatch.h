// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers intervals to blocks.

#ifndef MEMKIT_LIB_STATS_INTERVALBATCH_H
#define MEMKIT_LIB_STATS_INTERVALBATCH_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace memkit {

/// The intervals of a process on their way to blocks of at most MaxSectionRows
/// rows. An interval that has more goes on in the next block, as Sections.h
/// says.
class IntervalBatch {
public:
  using Writer = llvm::function_ref<llvm::Error(const Intervals &)>;

  explicit IntervalBatch(uint32_t Process) { Block.Process = Process; }

  /// Takes S; writes what makes a block.
  llvm::Error add(const Interval &S, Writer Write);
  /// Writes what is left.
  llvm::Error flush(Writer Write);

private:
  Intervals Block;
  size_t Rows = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_STATS_INTERVALBATCH_H
