// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suggestions to reduce a program's memory.

#ifndef MEMKIT_ANALYSIS_SUGGESTIONS_H
#define MEMKIT_ANALYSIS_SUGGESTIONS_H

#include "memkit/Analysis/LiveSeries.h"
#include "memkit/Analysis/MarkSeries.h"
#include "memkit/Model/SelectedStats.h"
#include "memkit/Trace/SummaryStats.h"

namespace memkit {

/// The rules; docs/CommandGuide/memstat.md explains the rules for users.
enum class Advice {
  /// A device's allocator reserved much more than ever lived.
  ExpandableSegments,
  /// The program takes and gives back pinned memory, instead of keeping the
  /// memory for the next use.
  PinnedReuse,
  /// Most allocations of a heap were freed before the next one.
  Temporaries,
  /// All gradients are live while activations accumulate.
  GradientsToNone,
  /// The state of the optimizer is the largest part of the peak.
  OptimizerState,
  /// The live bytes of a stack rise and never fall.
  NeverShrinks,
  /// The activations of one layer are a large part of the peak.
  Checkpoint,
  /// Workers of a DataLoader have private pages that the workers did not
  /// allocate.
  WorkersCopy,
};

/// Limits for the rules to apply.
namespace limits {
inline constexpr uint64_t MinBytes = 1 << 20;  ///< of any suggestion
inline constexpr uint32_t UnusedPpm = 200'000; ///< ExpandableSegments
inline constexpr uint64_t PinnedTurns =
    4; ///< allocated bytes a byte of the peak
inline constexpr uint64_t PinnedFrees = 16;
inline constexpr uint64_t ManyAllocations = 100'000; ///< Temporaries
inline constexpr uint32_t TemporaryPpm = 500'000;
inline constexpr uint32_t ChurnPpm = 250'000;    ///< of the allocated bytes
inline constexpr uint32_t GradientPpm = 900'000; ///< of the parameters
inline constexpr uint32_t CachePpm = 50'000;  ///< of the peak of what it is in
inline constexpr uint64_t CacheBlocks = 64;   ///< allocations
inline constexpr uint32_t WorthPpm = 10'000;  ///< likewise
inline constexpr uint64_t CacheRises = 4;     ///< intervals
inline constexpr uint32_t LayerPpm = 250'000; ///< of the heap's peak
inline constexpr uint32_t OneResultPpm =
    900'000; ///< of the layer's activations
inline constexpr uint64_t Workers = 2;
inline constexpr uint32_t CopiedPpm = 50'000; ///< of the inherited memory
} // namespace limits

struct Suggestion {
  Advice What = Advice::Temporaries;
  uint32_t Heap = 0;    ///< 0: of processes
  uint64_t Bytes = 0;   ///< an estimate of the memory concerned
  uint64_t Whole = 0;   ///< the total that includes Bytes
  uint64_t Count = 0;   ///< temporaries, frees, rises or workers
  uint64_t OutOf = 0;   ///< allocations or intervals
  uint32_t Ppm = 0;     ///< of reserved bytes, when reserved bytes grew
  uint32_t Stack = 0;   ///< the stack with the largest part
  uint32_t Layer = 0;   ///< string
  uint32_t Process = 0; ///< the workers' parent
};

/// The few (heap, stack) that may be a cache that never shrinks, judged by the
/// summary; largest first.
std::vector<HeapStack> findCaches(const SelectedStats &S);

/// All suggestions that apply, most bytes first. Caches: the result of
/// findCaches().
std::vector<Suggestion> makeSuggestions(const SelectedStats &S,
                                        const MarkSeries &Marks,
                                        const LiveSeries &Live,
                                        llvm::ArrayRef<HeapStack> Caches);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_SUGGESTIONS_H
