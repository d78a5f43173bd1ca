// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files for Perfetto.

#ifndef MEMKIT_LIB_EXPORT_PERFETTO_H
#define MEMKIT_LIB_EXPORT_PERFETTO_H

#include "NodeRanks.h"
#include "memkit/Model/Profile.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

struct PerfettoResult {
  /// Scopes that began behind the limit of a million and are not in the file.
  uint64_t ScopesLeftOut = 0;
};

/// Writes the run that S chose of as a trace of Perfetto: for each process the
/// live bytes of each of its heaps (from the trace's intervals), what
/// allocators reserved and what was resident as counters, its steps, ranges and
/// marks, and on tracks of their threads layers, operators and other scopes
/// (ScopeSpans). Chart, a profile of T, is a process of its own in which a
/// frame is as long as its share of the run is wide. Reads intervals, marks and
/// events.
llvm::Expected<PerfettoResult>
writePerfetto(llvm::raw_ostream &OS, const SelectedStats &S, ShownTree T,
              const NodeRanks &Ranks, const Profile &Chart);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_PERFETTO_H
