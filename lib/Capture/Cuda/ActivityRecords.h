// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads CUPTI's activity records of device work.
//
// Each version of CUPTI has structures of its own, which grow at their ends.
// The fields that memkit reads have had the same places in all versions from
// 11.0 to 13 (asserted, for the structures that the headers have).

#ifndef MEMKIT_CAPTURE_CUDA_ACTIVITYRECORDS_H
#define MEMKIT_CAPTURE_CUDA_ACTIVITYRECORDS_H

#include "Cuda/Cupti.h"
#include "Wire/DeviceTimeRecords.h"

namespace memkit::capture::cuda {

/// Do the records of CUPTI's version (cuptiGetVersion) have the known layout?
bool isKnownActivityVersion(uint32_t Version);

/// The kinds of records to enable. Older versions of CUPTI lack the kinds after
/// the first NumNeededActivities.
extern const CUpti_ActivityKind WantedActivities[];
extern const unsigned NumWantedActivities, NumNeededActivities;

/// Gives each text of one buffer its number in shared memory. CUPTI has one
/// pointer for all records of a kernel, so most look-ups compare a pointer.
/// Pointers mean nothing in the next buffer.
class KernelNames {
public:
  /// 0: no name, or no room.
  uint32_t textOf(const char *Name);

private:
  static constexpr unsigned NumSlots = 64;
  struct NamePointer {
    const char *Name = nullptr;
    uint32_t Text = 0;
  };
  NamePointer Slots[NumSlots];
};

/// A record as the wire has it.
struct ActivityWork {
  wire::DeviceWorkDetailRecord Detail;
  wire::DeviceWorkRecord What;
};

enum class ActivityRead : uint8_t {
  Work,
  Other, ///< of a kind that memkit does not read
  Bad,   ///< cut off by \p End, or with impossible values
};

/// Reads one record, which ends before \p End.
ActivityRead readActivity(const CUpti_Activity *R, const uint8_t *End,
                          KernelNames &Names, ActivityWork &Out);

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_ACTIVITYRECORDS_H
