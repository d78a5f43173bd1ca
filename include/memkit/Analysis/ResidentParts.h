// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the resident memory of processes consists of.

#ifndef MEMKIT_ANALYSIS_RESIDENTPARTS_H
#define MEMKIT_ANALYSIS_RESIDENTPARTS_H

#include "memkit/Trace/Marks.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace memkit {

/// A sample of a process. Sizes in bytes.
struct ResidentSample {
  uint64_t TimeNs = 0;
  std::array<uint64_t, NumResidentParts> Bytes{}; ///< by ResidentPart
  uint64_t Swapped = 0;                           ///< not resident
  /// Of live blocks and mappings, never resident; 0 if not known.
  uint64_t Untouched = 0;
  /// Of resident pages in all arenas without a live block: malloc_trim(0) gives
  /// these pages back.
  uint64_t FreePages = 0;
  uint64_t NumArenas = 0;
  bool IsSampled = false;  ///< the live blocks of malloc are an estimate
  bool HasUnknown = false; ///< malloc has live blocks that are not recorded
  uint64_t Why =
      0; ///< RF_Alert, RF_Step, RF_End: taken out of turn; 0: in turn

  /// An arena of malloc.
  struct ResidentArena {
    uint64_t Begin = 0; ///< address
    uint64_t Resident = 0, Live = 0;
    uint64_t PagesFree = 0;       ///< of resident pages without a live block
    uint64_t Pieces = 0;          ///< of 64 MiB; 1 for the memory at the break
    uint32_t Heap = 0, Stack = 0; ///< of the live block at the top; 0: none
  };
  /// The largest ones, the most resident bytes first.
  std::vector<ResidentArena> Arenas;
  /// The mappings that one stack has made.
  struct ResidentMappings {
    ResidentPart Part = ResidentPart::Mapping;
    uint32_t Heap = 0, Stack = 0;
    uint64_t Resident = 0, Size = 0, Count = 0;
  };
  std::vector<ResidentMappings> Mappings; ///< the most resident bytes first
  /// A binary, a mapped file or shared memory with a name.
  struct ResidentFile {
    ResidentPart Part = ResidentPart::File;
    uint32_t Name = 0; ///< a string of the trace: the path
    uint64_t Resident = 0, Size = 0, Count = 0;
    uint64_t Written = 0; ///< resident, copies of the process's own
  };
  std::vector<ResidentFile> Files; ///< the largest, most resident bytes first

  uint64_t of(ResidentPart P) const { return Bytes[size_t(P)]; }
  uint64_t total() const;
};

/// The parts of a sample, without arenas and mappings.
struct ResidentPoint {
  uint64_t TimeNs = 0;
  uint64_t Why = 0; ///< as ResidentSample
  std::array<uint64_t, NumResidentParts> Bytes{};
  uint64_t Swapped = 0;

  uint64_t total() const;
};

/// The samples of a process.
class ResidentSeries {
public:
  /// A mark of MarkKind::Resident or ResidentPiece of the process, in order.
  /// Returns an error text, or an empty string.
  std::string take(const Mark &M);

  /// Call after the last mark.
  void finish();

  /// Whether the process has no sample.
  bool empty() const { return IsEmpty; }
  /// The sample with the most resident bytes; of those within a thousandth of
  /// the most, the one with the most that was never touched.
  const ResidentSample &highest() const { return Highest; }
  /// The last sample; if there is another one, not the one of the exit, when a
  /// program has often freed its memory.
  const ResidentSample &last() const { return Running ? *Running : Last; }
  /// The sample of the exit, or null.
  const ResidentSample *atExit() const {
    return Last.Why & RF_End ? &Last : nullptr;
  }
  /// The samples that were taken at alerts and steps, the first MaxAsked.
  const std::vector<ResidentSample> &asked() const { return Asked; }
  /// By time. Of more than MaxPoints samples those that were taken out of turn,
  /// and the highest of each few others.
  const std::vector<ResidentPoint> &points() const { return Points; }
  static constexpr size_t MaxPoints = 2048, MaxAsked = 64;

private:
  std::string takePiece(const Mark &M);
  void addPoint();
  ResidentSample Highest, Last;
  uint64_t HighestBytes = 0;             ///< the most of any sample
  std::optional<ResidentSample> Running; ///< before the exit
  std::vector<ResidentSample> Asked;
  std::vector<ResidentPoint> Points;
  bool IsEmpty = true;
};

} // namespace memkit

#endif // MEMKIT_ANALYSIS_RESIDENTPARTS_H
