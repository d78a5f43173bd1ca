// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was freed just now.
//
// A processor may read its clock before it has waited for the block that it is
// handed: a free can have a time some 0.2 µs too early (RingWriter.h), before
// the free and the allocation of another thread that gave the block away. So
// it takes the block that the other's free should have had, and that free finds
// none. Whose free came too early is looked up here.

#ifndef MEMKIT_LIB_RECORD_RECENTFREES_H
#define MEMKIT_LIB_RECORD_RECENTFREES_H

#include "Shared/RingMerge.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace memkit {

struct RingOfProcess;

/// The records of a batch that are frees, and the last ones before it. Belongs
/// to the recorder's thread.
class RecentFrees {
public:
  struct RecentFree {
    uint32_t Process; ///< its id
    uint32_t Ring;
    wire::Record Rec;
  };

  /// The records that are taken from now on, in the order of time; both arrays
  /// must live until end().
  void begin(llvm::ArrayRef<MergedRecord> Records, const RingOfProcess *Rings) {
    Batch = Records;
    Of = Rings;
  }
  void end();

  /// The last free of \p Later's address by another ring of the process, if it
  /// is by no more than MaxSkew the earlier one.
  std::optional<RecentFree> before(uint32_t Process, uint32_t Ring,
                                   const wire::Record &Later) const;

  /// In ticks of the clock: 0.5 µs and more.
  static constexpr uint64_t MaxSkew = 2048;

private:
  llvm::ArrayRef<MergedRecord> Batch;
  const RingOfProcess *Of = nullptr;
  llvm::SmallVector<RecentFree, 16> Kept; ///< of the batches before
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RECENTFREES_H
