// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of libmemrec.so for the CUDA library.
//
// CUDA's driver loads libmemrec-cuda.so. The library records by a table of
// functions of libmemrec.so, of one version, and keeps no state of a recording
// itself. Without libmemrec.so, with another version of it, or without a
// recording, the library gets no table and does nothing.

#ifndef MEMKIT_CAPTURE_CUDA_TABLE_H
#define MEMKIT_CAPTURE_CUDA_TABLE_H

#include "Runtime/Hook.h"
#include "Wire/Layout.h"

namespace memkit::capture::cuda {

struct DeviceInfo {
  uint8_t Uuid[16];
  char Name[96];
  char Pci[24];
  uint64_t Bytes;
  bool SharesMemory; ///< has no memory but the machine's
};

/// Any thread may call any function at any time.
struct CaptureTable {
  /// Writes What, a record of DeviceRecords.h, with the stack of \p Caller, or
  /// without a stack if null; before it Detail, unless null. The record of a
  /// new block is written only while allocations are recorded.
  void (*Write)(const wire::Record &What,
                const wire::DeviceDetailRecord *Detail,
                const CallerFrame *Caller);
  /// Reports a device, before any event names it. Ordinal: below
  /// wire::MaxCudaDevices.
  void (*AddDevice)(uint32_t Ordinal, const DeviceInfo &F);
  /// Why: with Interposed, the state of CUPTI that made wrappers necessary;
  /// with Cupti, CuptiOlder if CUPTI does not know all calls of the driver:
  /// CuptiResult is then the number of unknown calls. Rival: the tool that has
  /// CUPTI, or null.
  void (*SetState)(wire::CudaCapture S, uint32_t CuptiResult,
                   wire::CudaCapture Why, const char *Rival);
  wire::CudaMode (*Mode)();
  /// Sets the functions to call before a library of the program (Who)
  /// subscribes to CUPTI, and after the program has unsubscribed.
  void (*SetListener)(void (*Leave)(const char *Who), void (*Return)());
  /// Writes Ask with its slot and ticket, and waits until the recorder has
  /// measured the device: a few milliseconds, or about 100 if NVML is slow.
  /// False: not measured.
  bool (*Ask)(const wire::DeviceAskRecord &Ask);
  /// Between two samples of a device; 0: no samples.
  uint64_t (*SampleEveryNs)();
  /// Writes work of a device that has ended, while work is recorded.
  void (*WriteWork)(const wire::DeviceWorkDetailRecord &Detail,
                    const wire::DeviceWorkRecord &What);
  /// The number of a text in shared memory; 0: no room.
  uint32_t (*Text)(const char *Text, size_t Size);
  /// Argument and Name: as CudaTimeFindings.h says; Name may be null.
  void (*SetTimeState)(wire::CudaTimeCapture S, uint32_t Argument,
                       const char *Name);
  /// Sets the function to call before a library of the program (Who) takes
  /// CUPTI's activity records. Returns the first library that has taken the
  /// records before; null: none.
  const char *(*SetActivityListener)(void (*Leave)(const char *Who));
};
inline constexpr uint32_t TableVersion = 7;

/// libmemrec.so's functions (Lookup.cpp).
void setListener(void (*Leave)(const char *Who), void (*Return)());
const char *setActivityListener(void (*Leave)(const char *Who));

} // namespace memkit::capture::cuda

/// Null: no table of that version, or CUDA's memory is not recorded.
extern "C" const memkit::capture::cuda::CaptureTable *
memrec_cuda_table(uint32_t Version) __attribute__((weak));

namespace memkit::capture::cuda {
using TableFn = const CaptureTable *(*)(uint32_t Version);
} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_TABLE_H
