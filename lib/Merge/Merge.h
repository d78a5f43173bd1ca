// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many traces as one trace.
//
// Processes of the traces are the processes of the result, with the place in
// their job and the name of their machine. Times count from the start of the
// earliest trace: of one boot of a machine by its monotonic clock, else by
// realtime. A merged trace may be merged again; the order of merging changes
// ids and nothing else, if no machine's realtime was set between two traces.

#ifndef MEMKIT_LIB_MERGE_MERGE_H
#define MEMKIT_LIB_MERGE_MERGE_H

#include "memkit/Support/ProgressCallback.h"
#include "memkit/Trace/Sink.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace memkit {

/// What of the traces is in the merged trace.
enum class MergeKind : uint8_t {
  /// Everything. The stats are those of all events in one order of time, so
  /// peaks are the job's peaks. If any trace lacks events: as Sums.
  Whole,
  /// All but the events. The peaks of heaps and memory spaces are sums of the
  /// traces' peaks: upper bounds.
  Sums,
  /// The summary alone, with small rows folded; peaks as Sums.
  Summary,
};

struct MergeOptions {
  MergeKind Kind = MergeKind::Whole;
  /// Of Summary: rows below this share of their process and heap are folded.
  double FoldShare = 0.001;
  /// The folder of a temporary file, which Whole needs.
  std::string TemporaryFolder = "/tmp";
  ProgressCallback OnProgress;
};

struct MergeResult {
  size_t Merged = 0;
  std::vector<std::string> Unread; ///< an error for each trace left out
  std::vector<std::string> Cut;    ///< a warning for each that was cut off
  size_t Ranked = 0;    ///< merged traces with a process that knows its rank
  std::string NoEvents; ///< the trace because of which Whole became Sums
};

/// Merges the traces Paths into a trace on Out, one trace after the other. Each
/// is opened twice or more, so none is standard input. A trace that cannot be
/// read is left out. Errors: no trace can be read; Out; a
/// stack that is too deep.
llvm::Expected<MergeResult> mergeTraces(llvm::ArrayRef<std::string> Paths,
                                        Sink &Out, const MergeOptions &Options);

/// $TMPDIR, else /tmp.
std::string temporaryFolder();
/// Opens a new file in Folder, without a name. The caller closes the
/// descriptor.
llvm::Expected<int> openTemporary(const std::string &Folder);

} // namespace memkit

#endif // MEMKIT_LIB_MERGE_MERGE_H
