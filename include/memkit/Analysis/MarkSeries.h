// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measurements in the marks of a trace.

#ifndef MEMKIT_ANALYSIS_MARKSERIES_H
#define MEMKIT_ANALYSIS_MARKSERIES_H

#include "memkit/Analysis/ResidentParts.h"
#include "memkit/Analysis/Series.h"
#include "memkit/Model/Trace.h"
#include <optional>

namespace memkit {

/// Bytes that the allocators of a heap hold from TimeNs on, summed over all
/// processes.
struct ReservedPoint {
  uint64_t TimeNs = 0;
  uint64_t Reserved = 0;
  std::optional<uint64_t> Active; ///< bytes in use, if reported
};

/// The trims of a heap's pools, and the bytes that the trims gave back.
struct Trims {
  uint64_t Count = 0, Bytes = 0;
};

/// One of several pools of a heap, in one process.
struct PoolPeak {
  uint32_t Heap = 0, Process = 0;
  /// The pool's number in blocks; 0: the device's own pool.
  uint64_t Pool = 0;
  uint64_t Reserved = 0, Active = 0; ///< the maximum of each
  Trims Trimmed;
};

/// The known parts of a device's unaccounted memory; nullopt: not known.
struct GapParts {
  std::optional<uint64_t> Contexts, Modules, Others;
};

/// The used bytes of a device, by any user.
struct UsedPoint {
  uint64_t TimeNs = 0;
  uint64_t Used = 0;
  uint64_t Total = 0; ///< 0: not reported
  /// Bytes of blocks at this time; Parts has the remainder. An old recorder
  /// reports neither.
  std::optional<uint64_t> Accounted;
  GapParts Parts;
  /// Of the machine, if the device shares its memory: Total is the machine's.
  std::optional<uint64_t> Available;
};

/// A condition of `memrec --alert`, or of the program, has begun to hold.
struct RaisedAlert {
  uint64_t TimeNs = 0;
  llvm::StringRef Text; ///< `host: 21 MiB live, above 20 MiB (host:live>20M)`
  uint64_t Value = 0, Bound = 0;
  /// The stacks that held most then, the largest first.
  std::vector<std::pair<uint32_t, uint64_t>> Top; ///< stack, bytes
};

/// What the allocator of a process said of itself at its exit. Bytes; nullopt:
/// not said.
struct AllocatorSays {
  uint32_t Process = 0;
  uint64_t TimeNs = 0;
  llvm::StringRef Name; ///< `glibc 2.36`
  std::optional<uint64_t> InUse, Free;
  std::optional<uint64_t> Apart;    ///< in mappings of their own
  std::optional<uint64_t> Reserved; ///< from the system, without Apart
  /// In use and free of glibc's arenas, the main one first.
  std::vector<std::pair<uint64_t, uint64_t>> Arenas;
};

/// What the samples of resident memory took.
struct SampleCosts {
  uint64_t Count = 0;
  uint64_t ProcessorNs = 0;
  uint64_t RunNs = 0; ///< of the recording until then
};

/// What memrec itself took, without its helper that finds names.
struct RecorderPoint {
  uint64_t TimeNs = 0;
  uint64_t Resident = 0;    ///< bytes
  uint64_t ProcessorNs = 0; ///< so far
};

/// The measurements in order of time.
struct MarkSeries {
  std::vector<std::vector<ReservedPoint>> Heaps; ///< by heap; [0] is empty
  std::vector<Trims> HeapTrims;                  ///< as Heaps
  /// Pools of heaps with several pools; by heap, process and pool.
  std::vector<PoolPeak> Pools;
  std::vector<std::vector<UsedPoint>> Devices; ///< by device; [0] is empty
  /// Resident bytes of each process (by id), at each sample; [0] is empty.
  std::vector<std::vector<SeriesPoint>> Rss;
  /// The part of Rss that is code, files and shared memory.
  std::vector<std::vector<SeriesPoint>> RssShared;
  /// Swapped out bytes, of the samples that have them.
  std::vector<std::vector<SeriesPoint>> Swapped;
  std::vector<ResidentSeries> Residents; ///< as Rss
  std::vector<RaisedAlert> Alerts;
  std::vector<AllocatorSays> Allocators; ///< in order of exits
  std::optional<SampleCosts> Costs;      ///< the last ones; none: not known
  std::vector<RecorderPoint> Recorder;
  /// `torch=2.13.0`, what the processes have loaded, each once, sorted.
  std::vector<llvm::StringRef> Versions;
  /// The highest private memory of each process (by id); 0: not measured.
  std::vector<uint64_t> PrivatePeak;
};

/// The own memory of a process at its samples of Rss: anonymous resident memory
/// and swapped out memory. Samples without the shared or swapped out part are
/// left out.
std::vector<SeriesPoint> ownSeries(const MarkSeries &Marks, uint32_t Process);

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
