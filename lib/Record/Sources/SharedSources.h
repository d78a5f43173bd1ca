// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State that the sources of all processes of a recording share.

#ifndef MEMKIT_LIB_RECORD_SHAREDSOURCES_H
#define MEMKIT_LIB_RECORD_SHAREDSOURCES_H

#include "Devices/DeviceUses.h"
#include "Output/Recording.h"
#include "Sources/RecentFrees.h"
#include "memkit/Stats/LiveStats.h"

namespace memkit {

/// Intermediate results of a run of records, for the steps of the run.
struct BatchRoom {
  static constexpr size_t Max = 256;
  Change Changes[Max];
  uint64_t TimesNs[Max];
  EventLog::FastEvent Logged[Max];
  uint32_t ScopePaths[Max];
};

/// Belongs to the recorder's thread; outlives the processes.
struct SharedSources {
  explicit SharedSources(Recording &R) : R(R), Uses(R) {}

  Recording &R;
  DeviceUses Uses;
  RecentFrees Recent;
  BatchRoom Room;
  uint64_t Pass = 0; ///< of the recorder's loop
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SHAREDSOURCES_H
