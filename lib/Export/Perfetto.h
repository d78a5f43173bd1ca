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
  /// The number of scopes that began after the limit of a million and are not
  /// in the file.
  uint64_t ScopesLeftOut = 0;
};

/// Writes the selected run of S as a trace of Perfetto. Each process has
/// counters (live bytes of each heap from the trace's intervals, reserved
/// memory of allocators, resident memory, used memory of devices), heap
/// profiles (HeapDumps) if HasStacks, steps, ranges and marks. HasStacks: T is
/// a tree of stacks alone. Full: heap profiles have all stacks. Each thread has
/// a track with its layers, operators and other scopes (ScopeOccurrences).
/// Chart, a profile of T, becomes a process of its own: the duration of a frame
/// is its share of the run. Reads intervals, marks and events.
llvm::Expected<PerfettoResult>
writePerfetto(llvm::raw_ostream &OS, const SelectedStats &S, ShownTree T,
              const NodeRanks &Ranks, const Profile &Chart, bool HasStacks,
              bool Full);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_PERFETTO_H
