// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many traces as one trace.
//
// Processes of the traces are the processes of the result, with the place in
// their job and the name of their machine. Times count from the start of the
// earliest trace: of one boot of a machine by its monotonic clock, else by
// realtime. A merged trace may be merged again; the order of merging changes
// ids and nothing else.

#ifndef MEMKIT_LIB_MERGE_MERGE_H
#define MEMKIT_LIB_MERGE_MERGE_H

#include "memkit/Support/ProgressCallback.h"
#include "memkit/Trace/Sink.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace memkit {

struct MergeOptions {
  /// Rows below this share of their process and heap are folded; 0: none.
  double FoldShare = 0.001;
  ProgressCallback OnProgress;
};

struct MergeResult {
  size_t Merged = 0;
  std::vector<std::string> Unread; ///< an error for each trace left out
};

/// Merges the summaries of the traces Paths into a trace on Out, one trace after
/// the other. A trace that cannot be read is left out. Errors: no trace can be
/// read; Out; a stack that is too deep.
llvm::Expected<MergeResult> mergeSummaries(llvm::ArrayRef<std::string> Paths,
                                           Sink &Out,
                                           const MergeOptions &Options);

} // namespace memkit

#endif // MEMKIT_LIB_MERGE_MERGE_H
