// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What would need less memory.

#ifndef MEMKIT_ANALYSIS_SUGGESTIONS_H
#define MEMKIT_ANALYSIS_SUGGESTIONS_H

#include "memkit/Analysis/LiveSeries.h"
#include "memkit/Analysis/MarkSeries.h"
#include "memkit/Model/SelectedStats.h"
#include "memkit/Trace/SummaryStats.h"

namespace memkit {

/// What was found; docs/CommandGuide/memstat.md has the rules for people.
enum class Advice {
  /// A device's allocator reserved much more than ever lived.
  ExpandableSegments,
  /// Pinned memory is taken and given back instead of kept for the next use.
  PinnedReuse,
  /// Most allocations of a heap were freed before the next one.
  Temporaries,
  /// All gradients live while activations pile up.
  GradientsToNone,
  /// The state of the optimizer is the largest part of the peak.
  OptimizerState,
  /// A stack that rises and never gives anything back.
  NeverShrinks,
  /// The activations of one layer are a large part of the peak.
  Checkpoint,
  /// Workers of a DataLoader have pages of their own that they did not
  /// allocate.
  WorkersCopy,
};

/// When a rule applies.
namespace limits {
inline constexpr uint64_t MinBytes = 1 << 20;  ///< of any suggestion
inline constexpr uint32_t UnusedPpm = 200'000; ///< ExpandableSegments
inline constexpr uint64_t PinnedTurns =
    4; ///< allocated bytes a byte of the peak
inline constexpr uint64_t PinnedFrees = 16;
inline constexpr uint64_t ManyAllocations = 100'000; ///< Temporaries
inline constexpr uint32_t TemporaryPpm = 500'000;
inline constexpr uint32_t GradientPpm = 900'000; ///< of the parameters
inline constexpr uint32_t CachePpm = 50'000;     ///< of the memory space's peak
inline constexpr uint64_t CacheBlocks = 64;      ///< allocations
inline constexpr uint64_t CacheRises = 4;        ///< intervals
inline constexpr uint32_t LayerPpm = 250'000;    ///< of the heap's peak
inline constexpr uint64_t Workers = 2;
} // namespace limits

struct Suggestion {
  Advice What = Advice::Temporaries;
  uint32_t Heap = 0;    ///< 0: of processes
  uint64_t Bytes = 0;   ///< an estimate of what it is about
  uint64_t Whole = 0;   ///< bytes of which they are a part
  uint64_t Count = 0;   ///< temporaries, frees, rises or workers
  uint64_t OutOf = 0;   ///< allocations or intervals
  uint32_t Ppm = 0;     ///< of what was reserved, when more was
  uint32_t Stack = 0;   ///< the largest part is its
  uint32_t Layer = 0;   ///< string
  uint32_t Process = 0; ///< the workers' parent
};

/// The (heap, stack) that may be a cache that never shrinks, as far as sums
/// tell; largest first, few.
std::vector<HeapStack> findCaches(const SelectedStats &S);

/// All that applies, the most bytes first. Caches: as findCaches() gave them.
std::vector<Suggestion> makeSuggestions(const SelectedStats &S,
                                        const MarkSeries &Marks,
                                        const LiveSeries &Live,
                                        llvm::ArrayRef<HeapStack> Caches);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_SUGGESTIONS_H
