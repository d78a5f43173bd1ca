// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State that the sources of all processes of a recording share.

#ifndef MEMKIT_LIB_RECORD_SHAREDSOURCES_H
#define MEMKIT_LIB_RECORD_SHAREDSOURCES_H

#include "Devices/DeviceUses.h"
#include "Devices/Nvml.h"
#include "Output/Recording.h"
#include "Sources/RecentFrees.h"
#include "memkit/Stats/LiveStats.h"
#include "llvm/ADT/SmallVector.h"

namespace memkit {

/// Intermediate results of a run of records, for the steps of the run: one
/// element for each event.
struct BatchRoom {
  static constexpr size_t Max = 256;
  Change Changes[Max];
  uint64_t TimesNs[Max];
  EventLog::FastEvent Logged[Max];
  uint32_t ScopePaths[Max];
};

/// A thread waits for the detours of a binary.
struct DetourQuestion {
  uint32_t Process;
  uint32_t Slot, Ticket; ///< of the answer
  std::string Path;      ///< of the binary, as the process sees it
};

class HostHeap;

/// A run of several processes that take turns, in addition to BatchRoom.
struct MixedRoom {
  static constexpr size_t MaxProcesses = 64;
  /// Events of a turn after which the turn is a run of its own.
  static constexpr size_t LongTurn = 32;
  uint64_t Run = 0;                                  ///< number of the run
  llvm::SmallVector<HostHeap *, MaxProcesses> Heaps; ///< by number in the run
  uint8_t NumberOf[BatchRoom::Max]; ///< of the process of each event
  // The events process by process.
  Change Changes[BatchRoom::Max];
  uint64_t TimesNs[BatchRoom::Max];
  EventLog::FastEvent Logged[BatchRoom::Max];
};

/// Belongs to the recorder's thread; outlives the processes.
struct SharedSources {
  explicit SharedSources(Recording &R, uint64_t DeviceIntervalNs = 100000000)
      : R(R), Uses(R, std::make_unique<Nvml>(), DeviceIntervalNs) {}

  Recording &R;
  DeviceUses Uses;
  RecentFrees Recent;
  std::vector<DetourQuestion> DetoursAsked; ///< for Session
  BatchRoom Room;
  MixedRoom Mixed;
  uint64_t Pass = 0; ///< of the recorder's loop
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SHAREDSOURCES_H
