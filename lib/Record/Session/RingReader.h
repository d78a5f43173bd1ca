// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rings of the processes.

#ifndef MEMKIT_LIB_RECORD_SESSION_RINGREADER_H
#define MEMKIT_LIB_RECORD_SESSION_RINGREADER_H

#include "Session/ChildProcess.h"
#include "Shared/RingMerge.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace memkit {

/// Reads the records of the processes' rings in batches, in order of time, and
/// gives rings without a thread back to the processes.
class RingReader {
public:
  explicit RingReader(Recording &R) : R(R) {}

  /// Called at the start of a pass, before the first start().
  void startPass() {
    Fullest = 0;
    noteRead();
  }

  /// Removes all rings. Records with a later clock than Limit are left in the
  /// rings.
  void start(uint64_t Limit);
  /// Adds the rings of P. If P is ending, raises P.Exit.Tsc to the clock of the
  /// last record in the rings.
  void add(ChildProcess &P);
  /// The next records, empty when none is left; valid until the next call. The
  /// writers have the room of the records again.
  llvm::ArrayRef<MergedRecord> next();

  /// The ring of a record, and the ring's process.
  struct BatchRing {
    ChildProcess *P;
    uint32_t Ring;
  };
  const BatchRing &ringOf(const MergedRecord &M) const {
    return BatchRings[M.Source];
  }
  /// The states of the processes, by MergedRecord::Source.
  const RingOfProcess *states() const { return RingOf.data(); }

  /// Frees rings whose threads have ended.
  static void freeRings(ChildProcess &P);
  /// Frees rings whose threads ended without releasing them: after an event
  /// later than the capture library's last destructor, or without destructors.
  /// Checks All rings; else 64 rings, if more than half of all rings are in
  /// use.
  static void takeBackRings(ChildProcess &P, bool All);

  /// Highest fill of a ring in this pass, from 0 to 1.
  double fullest() const { return Fullest; }
  /// Longest time between two reads of the rings.
  uint64_t longestPauseNs() const { return LongestPauseNs; }

private:
  static void findEnd(ChildProcess &P, const wire::Record *Records,
                      uint64_t Tail, uint64_t Head);
  void giveRoomBack();
  void noteRead();

  Recording &R;
  RingMerge Merge;
  std::vector<BatchRing> BatchRings;
  std::vector<RingOfProcess> RingOf; ///< parallel to BatchRings
  std::vector<MergedRecord> Batch;
  double Fullest = 0;
  uint64_t ReadNs = 0; ///< when the rings were last read
  uint64_t LongestPauseNs = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_RINGREADER_H
