// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds frees whose clock was too early.
//
// A processor may read its clock before it has waited for a block that another
// thread hands over. A free can then have a time about 0.2 µs too early
// (RingWriter.h), before the other thread's free and new allocation of the
// block. The early free then takes the block of the other thread's free, and
// the other thread's free finds no block. RecentFrees looks up whose free came
// too early.

#ifndef MEMKIT_LIB_RECORD_RECENTFREES_H
#define MEMKIT_LIB_RECORD_RECENTFREES_H

#include "Shared/RingMerge.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace memkit {

struct RingOfProcess;

/// The frees of the current batch of records, and the last frees before the
/// batch. Belongs to the recorder's thread.
class RecentFrees {
public:
  struct RecentFree {
    uint32_t Process; ///< its id
    uint32_t Ring;
    wire::Record Rec;
  };

  /// Sets the records that are taken next, in the order of time; both arrays
  /// must live until end().
  void begin(llvm::ArrayRef<MergedRecord> Records, const RingOfProcess *Rings) {
    Batch = Records;
    Of = Rings;
  }
  void end();

  /// The last free of \p Later's address by another ring of the process, at
  /// most MaxSkew before \p Later.
  std::optional<RecentFree> before(uint32_t Process, uint32_t Ring,
                                   const wire::Record &Later) const;

  /// In ticks of the clock: at least 0.5 µs.
  static constexpr uint64_t MaxSkew = 2048;

private:
  llvm::ArrayRef<MergedRecord> Batch;
  const RingOfProcess *Of = nullptr;
  llvm::SmallVector<RecentFree, 16> Kept; ///< of earlier batches
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RECENTFREES_H
