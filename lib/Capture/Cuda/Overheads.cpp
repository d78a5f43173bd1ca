// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the memory of contexts and modules.
//
// A context takes some hundred megabytes of its device, and modules take memory
// for their code and variables; no call reports the amounts. So the used memory
// of the device is measured before and after. A thread without a context cannot
// ask the driver: the recorder measures by NVML while the thread waits. Around
// modules, the driver is asked in the thread's context.
//
// memkit does not subscribe to launches, which may load a module: CUPTI reports
// the module.

#include "Cuda/Overheads.h"

#include "Cuda/Ended.h"
#include "Cuda/Samples.h"

#include <algorithm>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaHeap;
using wire::DeviceTimePoint;

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

/// The maximum number of measured contexts of a process.
static constexpr uint32_t MaxMeasured = 32;
static std::atomic<uint32_t> Measured;

namespace {
struct NewContext {
  CUcontext *To;
  CUdevice Device;
};
} // namespace

/// False: the call makes no context.
static bool newContext(const Call &C, NewContext &Out) {
  switch (C.Id) {
  case ID(cuCtxCreate):
  case ID(cuCtxCreate_v2): {
    PARAMS(cuCtxCreate_v2);
    Out = {P.pctx, P.dev};
    return true;
  }
  case ID(cuCtxCreate_v3): {
    PARAMS(cuCtxCreate_v3);
    Out = {P.pctx, P.dev};
    return true;
  }
  case ID(cuCtxCreate_v4): {
    PARAMS(cuCtxCreate_v4);
    Out = {P.pctx, P.dev};
    return true;
  }
  case ID(cuDevicePrimaryCtxRetain): {
    PARAMS(cuDevicePrimaryCtxRetain);
    Out = {P.pctx, P.dev};
    return true;
  }
  default:
    return false;
  }
}

/// Does the call only retain an existing context?
static bool isThere(const Call &C, CUdevice D) {
  unsigned Flags = 0;
  int Active = 0;
  return C.Id == ID(cuDevicePrimaryCtxRetain) &&
         (!Cuda.PrimaryCtxGetState ||
          Cuda.PrimaryCtxGetState(D, &Flags, &Active) || Active);
}

static bool tell(DeviceTimePoint At, const ContextPlace &P) {
  return Memrec->Ask({At, 0, 0, P.in(CudaHeap::Device)});
}

/// The thread is making a context, and the memory before was measured.
static __thread bool Makes;

static void beforeContext(const Call &C, const NewContext &N) {
  Makes = false;
  if (unsigned(N.Device) >= wire::MaxCudaDevices || capturesGraph() ||
      isThere(C, N.Device) || Measured.load() >= MaxMeasured)
    return;
  ++Measured;
  introduceDevice(uint32_t(N.Device));
  Makes = tell(DeviceTimePoint::ContextBegins, {uint32_t(N.Device), 0});
  // Do not ask again after a measurement has failed.
  if (!Makes)
    Measured = MaxMeasured;
}

static void afterContext(const NewContext &N, CUresult Result) {
  if (!Makes)
    return;
  Makes = false;
  uint32_t Device = uint32_t(N.Device);
  if (Result || !N.To)
    tell(DeviceTimePoint::ContextFailed, {Device, 0});
  else
    tell(DeviceTimePoint::ContextMade, TheContexts.place(*N.To, Device));
}

static bool isActive(CUdevice D) {
  unsigned Flags = 0;
  int Active = 0;
  return !Cuda.PrimaryCtxGetState(D, &Flags, &Active) && Active;
}

void cuda::measureLivingContexts() {
  int Count = 0;
  if (!Cuda.PrimaryCtxGetState || !Cuda.PrimaryCtxRetain ||
      !Cuda.PrimaryCtxRelease || !Cuda.CtxSetCurrent || !Cuda.DeviceGetCount ||
      Cuda.DeviceGetCount(&Count))
    return;
  for (CUdevice D = 0; D < std::min(Count, int(wire::MaxCudaDevices)); ++D) {
    CUcontext C = nullptr;
    if (!isActive(D) || Cuda.PrimaryCtxRetain(&C, D))
      continue;
    if (!Cuda.CtxSetCurrent(C)) {
      sampleDevice(TheContexts.place(C, uint32_t(D)));
      Cuda.CtxSetCurrent(nullptr);
    }
    Cuda.PrimaryCtxRelease(D);
  }
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static bool isModuleCall(CUpti_CallbackId Id) {
  switch (Id) {
  case ID(cuModuleLoad):
  case ID(cuModuleLoadData):
  case ID(cuModuleLoadDataEx):
  case ID(cuModuleLoadFatBinary):
  case ID(cuModuleUnload):
  case ID(cuLibraryLoadData):
  case ID(cuLibraryLoadFromFile):
  case ID(cuLibraryUnload):
    return true;
  default:
    return false;
  }
}

/// A thread's current call that loads or unloads modules.
namespace {
struct ModuleCall {
  bool IsIn, IsSampled;
};
} // namespace
static __thread ModuleCall Modules;

static void beforeModule(const Call &C) {
  Modules = {true, false};
  if (C.Context && !capturesGraph())
    Modules.IsSampled = sampleBeforeModules(TheContexts.place(C.Context));
}

static void afterModule(const Call &C) {
  bool IsSampled = Modules.IsSampled;
  Modules = {false, false};
  if (!C.Context)
    return;
  ContextPlace P = TheContexts.place(C.Context);
  if (!IsSampled || capturesGraph())
    noteModules(P);
  else
    sampleAfterModules(P);
}

/// The driver is inside a call, so this function does not ask the driver.
void cuda::onModule(CUcontext Of) {
  if (!Modules.IsIn && Of)
    noteModules(TheContexts.place(Of));
}

bool cuda::isOverhead(CUpti_CallbackId Id) {
  switch (Id) {
  case ID(cuCtxCreate):
  case ID(cuCtxCreate_v2):
  case ID(cuCtxCreate_v3):
  case ID(cuCtxCreate_v4):
  case ID(cuDevicePrimaryCtxRetain):
    return true;
  default:
    return isModuleCall(Id);
  }
}

bool cuda::beforeOverhead(const Call &C) {
  NewContext N;
  if (newContext(C, N)) {
    beforeContext(C, N);
    return true;
  }
  if (!isModuleCall(C.Id))
    return false;
  beforeModule(C);
  return true;
}

bool cuda::afterOverhead(const Call &C, CUresult Result) {
  NewContext N;
  if (newContext(C, N)) {
    afterContext(N, Result);
    return true;
  }
  if (!isModuleCall(C.Id))
    return false;
  afterModule(C);
  return true;
}
