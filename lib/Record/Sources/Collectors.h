// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: what the collectors of a program say of devices (memkit.h).
//
// The values become the marks that CUDA's driver has, too: DeviceUsed of the
// device's memory space, and HeapReserved of the heap `DEVICE.device`.

#ifndef MEMKIT_LIB_RECORD_COLLECTORS_H
#define MEMKIT_LIB_RECORD_COLLECTORS_H

#include "Shared/RecordOrigin.h"
#include "Wire/ReportedRecords.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

class CudaNumbers;
class EventSink;
class ProcessScopes;

/// Belongs to the recorder's thread.
class Collectors {
public:
  Collectors(EventSink &Sink, CudaNumbers &Numbers, ProcessScopes &Scopes)
      : Sink(Sink), Numbers(Numbers), Scopes(Scopes) {}

  void take(const wire::CollectedUseRecord &Rec, RecordOrigin From);
  void take(const wire::CollectedReserveRecord &Rec, RecordOrigin From);

private:
  /// Bounds the memory for names that a program makes up.
  static constexpr size_t MaxNames = 256;

  /// What a program calls so.
  struct CollectedDevice {
    uint32_t Space = 0; ///< 0: no device
    uint32_t Heap = 0;  ///< `DEVICE.device`; 0: not there yet
  };
  CollectedDevice *deviceOf(uint32_t Text);

  EventSink &Sink;
  CudaNumbers &Numbers;
  ProcessScopes &Scopes;
  llvm::DenseMap<uint32_t, CollectedDevice> Devices; ///< by text
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_COLLECTORS_H
