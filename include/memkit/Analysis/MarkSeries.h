// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the marks of a trace measured.

#ifndef MEMKIT_ANALYSIS_MARKSERIES_H
#define MEMKIT_ANALYSIS_MARKSERIES_H

#include "memkit/Analysis/Series.h"
#include "memkit/Model/Trace.h"
#include <optional>

namespace memkit {

/// What the allocator of a heap holds from a moment on, all processes together.
struct ReservedPoint {
  uint64_t TimeNs = 0;
  uint64_t Reserved = 0;
  std::optional<uint64_t> Active; ///< bytes of it in use; not always told
};

/// How often a heap's pools were trimmed, and what that gave back.
struct Trims {
  uint64_t Count = 0, Bytes = 0;
};

/// What takes the bytes of a device that no block has; nothing: not known.
/// One of several pools of a heap, in one process.
struct PoolPeak {
  uint32_t Heap = 0, Process = 0;
  uint64_t Pool = 0; ///< as the blocks' pools are numbered, 0: the device's own
  uint64_t Reserved = 0, Active = 0; ///< at most, each
  Trims Trimmed;
};

struct GapParts {
  std::optional<uint64_t> Contexts, Modules, Others;
};

/// What a device says is used of it, by whomever.
struct UsedPoint {
  uint64_t TimeNs = 0;
  uint64_t Used = 0;
  uint64_t Total = 0; ///< 0: not told
  /// By blocks, then, and the rest in parts; an older recorder does not tell.
  std::optional<uint64_t> Accounted;
  GapParts Parts;
};

/// The marks that are measurements, in the order of their times.
struct MarkSeries {
  std::vector<std::vector<ReservedPoint>> Heaps; ///< by heap; [0] is empty
  std::vector<Trims> HeapTrims;                  ///< as Heaps
  /// By heap, process and pool, of heaps that have several.
  std::vector<PoolPeak> Pools;
  std::vector<std::vector<UsedPoint>> Devices; ///< by device; [0] is empty
  /// What was resident of each process (by id), at each sample; [0] is empty.
  std::vector<std::vector<SeriesPoint>> Rss;
  /// The most private memory of each process (by id), 0 when it was not
  /// measured.
  std::vector<uint64_t> PrivatePeak;
};

/// Reads all sections of marks. Errors: TraceError.
llvm::Expected<MarkSeries> readMarkSeries(const Trace &T);

/// The last point at or before TimeNs; null when there is none.
template <class Point>
const Point *pointAt(llvm::ArrayRef<Point> Points, uint64_t TimeNs) {
  const Point *Next =
      std::upper_bound(Points.begin(), Points.end(), TimeNs,
                       [](uint64_t T, const Point &P) { return T < P.TimeNs; });
  return Next == Points.begin() ? nullptr : Next - 1;
}

} // namespace memkit

#endif // MEMKIT_ANALYSIS_MARKSERIES_H
