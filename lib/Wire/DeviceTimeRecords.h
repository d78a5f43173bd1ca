// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of the work of CUDA's devices: kernels, copies, memsets, graphs.
//
// A thread that launches work writes a DeviceLaunchRecord before the call. Work
// that has ended is reported later, by any thread, as a DeviceWorkDetailRecord
// and a DeviceWorkRecord behind it. CUPTI's correlation ids tie the two: each
// call of the driver has its own in the process.

#ifndef MEMKIT_LIB_WIRE_DEVICETIMERECORDS_H
#define MEMKIT_LIB_WIRE_DEVICETIMERECORDS_H

#include "Cuda.h"
#include "Record.h"

namespace memkit::wire {

/// What a device did. The recorder checks values from the program.
enum class DeviceWorkKind : uint8_t {
  Kernel = 0,
  CopyToDevice = 1, ///< from the host
  CopyToHost = 2,
  CopyOnDevice = 3,
  CopyBetweenDevices = 4,
  OtherCopy = 5, ///< on the host, of arrays, or of a direction not known
  Set = 6,       ///< of memory to a value
  Graph = 7,     ///< all of a graph, launched once
};
inline constexpr uint8_t NumDeviceWorkKinds = 8;

/// The thread is about to call a function of the driver that gives work to a
/// device. Published before the call, so before any record of the work.
struct DeviceLaunchRecord {
  using Layout =
      RecordLayout<RecordKind::DeviceLaunch, InSize, InStack, InExtra>;
  uint64_t Correlation; ///< 32 bits
  uint32_t Stack;       ///< node; 0: none
  uint32_t Place;       ///< CudaPlace without a device
};

/// Detail of the ring's next DeviceWorkRecord.
struct DeviceWorkDetailRecord {
  using Layout = RecordLayout<RecordKind::DeviceWorkDetail, InAddress, InSize,
                              InStack, InExtra>;
  uint64_t Bytes;  ///< of copies and memsets
  uint64_t Stream; ///< CUPTI's number of the stream, 32 bits
  uint32_t Name;   ///< text: a kernel's name as compiled; 0: none
  uint32_t Graph;  ///< CUPTI's number of the graph, of Graph; else 0
};

/// Work that has ended.
struct DeviceWorkRecord {
  using Layout = RecordLayout<RecordKind::DeviceWork, InAddress, InSize,
                              InFunction, InStack, InExtra>;
  uint64_t BeginNs; ///< on CUPTI's clock
  uint64_t DurationNs;
  DeviceWorkKind Kind;
  uint32_t Correlation; ///< of the launch
  uint32_t Place;       ///< CudaPlace: the device
};

/// CUPTI's clock at the time of the record. Precedes the ring's work records,
/// and is written anew for each buffer of them.
struct DeviceClockRecord {
  using Layout = RecordLayout<RecordKind::DeviceClock, InAddress, InExtra>;
  uint64_t DeviceNs;
  uint32_t Place; ///< CudaPlace without a device
};

/// Work that CUPTI has not reported, or whose record was not read.
struct DeviceWorkLostRecord {
  using Layout = RecordLayout<RecordKind::DeviceWorkLost, InAddress, InExtra>;
  uint64_t Count;
  uint32_t Place; ///< CudaPlace without a device
};

using DeviceTimeRecords =
    RecordList<DeviceLaunchRecord, DeviceWorkDetailRecord, DeviceWorkRecord,
               DeviceClockRecord, DeviceWorkLostRecord>;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_DEVICETIMERECORDS_H
