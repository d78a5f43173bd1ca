// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's driver, through CUPTI.
//
// libcupti as it is found in the program, and what we call of it and of the
// driver. Both are opened by name: a program that brings none of them has
// nothing to lose. Headers give types and numbers alone, which CUPTI only adds
// to, so that any version of libcupti from 11 on will do.

#ifndef MEMKIT_CAPTURE_CUDA_CUPTI_H
#define MEMKIT_CAPTURE_CUDA_CUPTI_H

#include <cuda.h>
#include <cupti.h>

namespace memkit::capture::cuda {

/// As cupti_callbacks.h of 13 has it; older headers have none.
struct SubscriberParams {
  size_t Size;
  const char *Name; ///< ours; CUPTI copies it
  char *OldName;    ///< receives that of who has subscribed before us
  size_t OldNameSize;
};

struct Cupti {
  /// Since 13; null before.
  CUptiResult (*SubscribeNamed)(CUpti_SubscriberHandle *, CUpti_CallbackFunc,
                                void *, SubscriberParams *);
  decltype(&cuptiSubscribe) Subscribe;
  decltype(&cuptiUnsubscribe) Unsubscribe;
  decltype(&cuptiEnableCallback) EnableCallback;
  decltype(&cuptiGetDeviceId) GetDeviceId;
};

struct Driver {
  decltype(&cuDeviceGetUuid) DeviceGetUuid;
  decltype(&cuDeviceGetName) DeviceGetName;
  decltype(&cuDeviceGetPCIBusId) DeviceGetPciBusId;
  decltype(&cuDeviceTotalMem) DeviceTotalMem;
  decltype(&cuDriverGetVersion) DriverGetVersion;
  decltype(&cuMemGetInfo) MemGetInfo;
  decltype(&cuCtxGetCurrent) CtxGetCurrent;
  decltype(&cuCtxGetDevice) CtxGetDevice;
  decltype(&cuDevicePrimaryCtxGetState) PrimaryCtxGetState;
  decltype(&cuMemGetAddressRange) MemGetAddressRange;
  decltype(&cuMemPoolGetAttribute) MemPoolGetAttribute;
  decltype(&cuDeviceGetMemPool) DeviceGetMemPool;
  decltype(&cuDeviceGetGraphMemAttribute) DeviceGetGraphMemAttribute;
};

/// All of the driver's that is there; others are null. The driver is loaded:
/// it has loaded us.
extern Driver Cuda;
bool openDriver();

/// Opens the libcupti that fits the driver, or the nearest older one: one that
/// is loaded, what the loader finds by its name, that beside the runtime that
/// is loaded, that of CUDA_HOME or /usr/local/cuda. False: there is none.
bool openCupti(Cupti &To);

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_CUPTI_H
