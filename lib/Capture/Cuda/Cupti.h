// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens CUDA's driver and CUPTI.
//
// The functions of the program's libcupti and of the driver that memkit calls.
// Both libraries are opened by name, so a program needs neither. The headers
// give only types and numbers. New versions of CUPTI only add types and
// numbers, so any libcupti from 11 on works.

#ifndef MEMKIT_CAPTURE_CUDA_CUPTI_H
#define MEMKIT_CAPTURE_CUDA_CUPTI_H

#include <cuda.h>
#include <cupti.h>

namespace memkit::capture::cuda {

/// The structure in cupti_callbacks.h of 13; older headers have none.
struct SubscriberParams {
  size_t Size;
  const char *Name; ///< memkit's name; CUPTI copies it
  char *OldName;    ///< receives the name of the previous subscriber
  size_t OldNameSize;
};

/// CUPTI's functions for activity records; null for missing functions.
struct CuptiActivity {
  decltype(&cuptiGetVersion) GetVersion;
  decltype(&cuptiGetTimestamp) GetTimestamp;
  decltype(&cuptiActivityRegisterCallbacks) RegisterCallbacks;
  decltype(&cuptiActivityEnable) Enable;
  decltype(&cuptiActivityDisable) Disable;
  decltype(&cuptiActivityFlushAll) FlushAll;
  decltype(&cuptiActivityGetNextRecord) GetNextRecord;
  decltype(&cuptiActivityGetNumDroppedRecords) GetNumDropped;
  bool isWhole() const {
    return GetVersion && GetTimestamp && RegisterCallbacks && Enable &&
           Disable && FlushAll && GetNextRecord && GetNumDropped;
  }
};

struct Cupti {
  /// Since 13; null before.
  CUptiResult (*SubscribeNamed)(CUpti_SubscriberHandle *, CUpti_CallbackFunc,
                                void *, SubscriberParams *);
  decltype(&cuptiSubscribe) Subscribe;
  decltype(&cuptiUnsubscribe) Unsubscribe;
  decltype(&cuptiEnableCallback) EnableCallback;
  decltype(&cuptiGetDeviceId) GetDeviceId;
  CuptiActivity Activity;
};

struct Driver {
  decltype(&cuDeviceGetUuid) DeviceGetUuid;
  decltype(&cuDeviceGetName) DeviceGetName;
  decltype(&cuDeviceGetPCIBusId) DeviceGetPciBusId;
  decltype(&cuDeviceTotalMem) DeviceTotalMem;
  decltype(&cuDeviceGetAttribute) DeviceGetAttribute;
  decltype(&cuDriverGetVersion) DriverGetVersion;
  decltype(&cuMemGetInfo) MemGetInfo;
  decltype(&cuCtxGetCurrent) CtxGetCurrent;
  decltype(&cuCtxGetDevice) CtxGetDevice;
  decltype(&cuCtxSetCurrent) CtxSetCurrent;
  decltype(&cuDeviceGetCount) DeviceGetCount;
  decltype(&cuDevicePrimaryCtxRetain) PrimaryCtxRetain;
  decltype(&cuDevicePrimaryCtxRelease) PrimaryCtxRelease;
  decltype(&cuDevicePrimaryCtxGetState) PrimaryCtxGetState;
  decltype(&cuMemGetAddressRange) MemGetAddressRange;
  decltype(&cuMemPoolGetAttribute) MemPoolGetAttribute;
  decltype(&cuDeviceGetMemPool) DeviceGetMemPool;
  decltype(&cuDeviceGetGraphMemAttribute) DeviceGetGraphMemAttribute;
};

/// The driver's functions; null for missing functions. openDriver() finds the
/// loaded driver, which has loaded this library.
extern Driver Cuda;
bool openDriver();
/// Does openDriver() run in this thread? Then a look-up is memkit's own.
extern __thread bool LooksUp;

/// Opens the libcupti that fits the driver, or the nearest older one. Searches,
/// in this order: loaded libraries, the loader's search path, the folders
/// beside the loaded runtime, CUDA_HOME, /usr/local/cuda. False: none found.
bool openCupti(Cupti &To);

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_CUPTI_H
