// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The summary that counts.

#ifndef MEMKIT_LIB_MODEL_SUMMARYSET_H
#define MEMKIT_LIB_MODEL_SUMMARYSET_H

#include "memkit/Model/PackedRows.h"
#include "memkit/Trace/TraceReader.h"

namespace memkit {

/// The parts of the last whole summary of a trace, in file order. Empty when
/// there is none, or when events come after it: it would not tell of them.
struct SummarySet {
  std::vector<Summary> Parts;                ///< without rows of stacks
  std::vector<std::vector<PackedRows>> Rows; ///< of stacks, by part
  std::vector<uint64_t> Offsets;             ///< of the parts' sections

  /// Ids are not checked.
  llvm::Error read(TraceReader &Reader);
  /// Checks the ids of all parts.
  llvm::Error check(const IdLimits &Limits, llvm::StringRef File) const;

private:
  /// Adds a part, and takes its rows of stacks out of it.
  void add(Summary &S);
  llvm::Error readUpTo(TraceReader &Reader, size_t LastPart);
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_SUMMARYSET_H
