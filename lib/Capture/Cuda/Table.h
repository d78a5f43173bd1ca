// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the CUDA library asks of libmemrec.so.
//
// libmemrec-cuda.so is loaded by CUDA's driver, and records by what
// libmemrec.so gives it here: a table of functions of one version. It has no
// state of a recording itself. Where there is no libmemrec.so, or another
// version of it, or nothing is recorded, it gets none and does nothing.

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
};

/// Any thread may call any function at any time.
struct Table {
  /// Writes What, a record of DeviceRecords.h, with the stack of \p Caller or
  /// without; before it Detail, unless null. The record of a new block is
  /// written only while allocations are recorded.
  void (*Write)(const wire::Record &What,
                const wire::DeviceDetailRecord *Detail, const Frame *Caller);
  /// Tells of a device, before any event names it. Ordinal: below
  /// wire::MaxCudaDevices.
  void (*AddDevice)(uint32_t Ordinal, const DeviceInfo &F);
  /// Why: of Interposed, which state of CUPTI's it is for. Rival: who has
  /// CUPTI, or null.
  void (*SetState)(wire::CudaCapture S, uint32_t CuptiResult,
                   wire::CudaCapture Why, const char *Rival);
  wire::CudaMode (*Mode)();
  /// What to call before a library of the program's (Who) subscribes to CUPTI
  /// itself, and after it has ended that.
  void (*SetListener)(void (*Leave)(const char *Who), void (*Return)());
  /// Writes Ask, its slot and ticket filled in, and waits until the recorder
  /// has looked at the device: a few milliseconds, or some 100 where that takes
  /// long. False: the recorder has not.
  bool (*Ask)(const wire::DeviceAskRecord &Ask);
};
inline constexpr uint32_t TableVersion = 4;

/// libmemrec.so's own (Lookup.cpp).
void setListener(void (*Leave)(const char *Who), void (*Return)());

} // namespace memkit::capture::cuda

/// Null: it has no table of that version, or CUDA's memory is not recorded.
extern "C" const memkit::capture::cuda::Table *
memrec_cuda_table(uint32_t Version) __attribute__((weak));

#endif // MEMKIT_CAPTURE_CUDA_TABLE_H
