// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contexts of CUDA in a process.
//
// Threads claim and release entries by compare-and-swap. Two threads may note a
// new context at the same time, in two entries: later look-ups find the first.

#include "Cuda/Contexts.h"

#include "Cuda/Injection.h"

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaPlace;

Contexts cuda::TheContexts;
uint32_t (*cuda::DeviceOf)(CUcontext);

ContextPlace Contexts::known(CUcontext C) const {
  uint32_t Max = Used.load(std::memory_order_acquire);
  for (uint32_t I = 0; C && I != Max; ++I)
    if (Table[I].Handle.load(std::memory_order_relaxed) == C)
      return placeAt(I);
  return {};
}

ContextPlace Contexts::ask(CUcontext C) {
  return note(C, DeviceOf ? DeviceOf(C) : CudaPlace::NoDevice);
}

ContextPlace Contexts::place(CUcontext C, uint32_t Device) {
  ContextPlace P = known(C);
  return P.Number || !C ? P : note(C, Device);
}

ContextPlace Contexts::note(CUcontext C, uint32_t Device) {
  if (Device >= wire::MaxCudaDevices)
    Device = CudaPlace::NoDevice;
  else
    introduceDevice(Device);
  for (uint32_t I = 0; I != MaxContexts; ++I) {
    // The handle of an entry that a thread is filling.
    static const CUcontext Writing = reinterpret_cast<CUcontext>(1);
    CUcontext None = nullptr;
    ContextEntry &E = Table[I];
    if (E.Handle.load(std::memory_order_relaxed) ||
        !E.Handle.compare_exchange_strong(None, Writing))
      continue;
    E.Device.store(Device, std::memory_order_relaxed);
    E.Handle.store(C, std::memory_order_release);
    uint32_t Max = Used.load(std::memory_order_relaxed);
    while (Max <= I &&
           !Used.compare_exchange_weak(Max, I + 1, std::memory_order_release))
      ;
    return {Device, I + 1};
  }
  return {Device, 0};
}

void Contexts::remove(CUcontext C) {
  for (ContextEntry &E : Table) {
    CUcontext Is = C;
    E.Handle.compare_exchange_strong(Is, nullptr);
  }
}

void cuda::introduceDevice(uint32_t Ordinal) {
  static std::atomic<bool> Known[wire::MaxCudaDevices];
  if (Ordinal >= wire::MaxCudaDevices ||
      Known[Ordinal].load(std::memory_order_acquire))
    return;
  DeviceInfo F = {};
  CUuuid Uuid = {};
  size_t Bytes = 0;
  int IsIntegrated = 0;
  auto Device = CUdevice(Ordinal);
  if (Cuda.DeviceGetUuid && !Cuda.DeviceGetUuid(&Uuid, Device))
    __builtin_memcpy(F.Uuid, Uuid.bytes, sizeof(F.Uuid));
  if (Cuda.DeviceGetName)
    Cuda.DeviceGetName(F.Name, int(sizeof(F.Name)) - 1, Device);
  if (Cuda.DeviceGetPciBusId)
    Cuda.DeviceGetPciBusId(F.Pci, int(sizeof(F.Pci)) - 1, Device);
  if (Cuda.DeviceTotalMem && !Cuda.DeviceTotalMem(&Bytes, Device))
    F.Bytes = Bytes;
  F.SharesMemory = Cuda.DeviceGetAttribute &&
                   !Cuda.DeviceGetAttribute(
                       &IsIntegrated, CU_DEVICE_ATTRIBUTE_INTEGRATED, Device) &&
                   IsIntegrated;
  Memrec->AddDevice(Ordinal, F);
  Known[Ordinal].store(true, std::memory_order_release);
}
