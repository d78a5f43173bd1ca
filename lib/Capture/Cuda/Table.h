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

#include "Unwind/Frame.h"
#include "memkit/Wire/Layout.h"

namespace memkit::capture::cuda {

/// A record of the kinds from DeviceAllocate on.
struct Event {
  wire::RecordKind Kind;
  wire::CudaFunction Function = wire::CudaFunction::None;
  uint64_t Address = 0, Size = 0;
  uint32_t Place = 0; ///< wire::CudaPlace
  /// Goes before it as a DeviceDetail, unless both are 0.
  uint64_t DetailAddress = 0, DetailSize = 0;
};

struct DeviceInfo {
  uint8_t Uuid[16];
  char Name[96];
  char Pci[24];
  uint64_t Bytes;
};

/// Any thread may call any function at any time.
struct Table {
  /// Writes records with the stack of \p Caller, or with none. What begins is
  /// written only while allocations are recorded.
  void (*Write)(const Event &E, const Frame *Caller);
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
  /// Writes a DeviceAsk, and waits until the recorder has looked at its device:
  /// a few milliseconds, or some 100 of them where that takes long. False: it
  /// has not.
  bool (*Ask)(const Event &E);
};
inline constexpr uint32_t TableVersion = 3;

/// libmemrec.so's own (Lookup.cpp, Host/Replies.cpp).
void setListener(void (*Leave)(const char *Who), void (*Return)());
bool askOfDevice(const Event &E);

} // namespace memkit::capture::cuda

/// Null: it has no table of that version, or CUDA's memory is not recorded.
extern "C" const memkit::capture::cuda::Table *
memrec_cuda_table(uint32_t Version) __attribute__((weak));

#endif // MEMKIT_CAPTURE_CUDA_TABLE_H
