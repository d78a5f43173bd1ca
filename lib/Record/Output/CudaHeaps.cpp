// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices and heaps of CUDA.
//
// A device has one number in a recording, although CUDA_VISIBLE_DEVICES may
// give the device another number in each rank. The recording finds a device by
// its UUID. A new device gets the number by which its process knows it, or the
// lowest free number if another device has that number.

#include "Output/RecordedHeaps.h"
#include "Output/TensorHeaps.h"

using namespace llvm;
using namespace memkit;
using wire::CudaHeap;

static uint16_t cudaWord(uint32_t Number) {
  return uint16_t(TensorHeaps::Cuda | Number << 8);
}

uint16_t RecordedHeaps::cudaDevice(uint32_t Ordinal, Device D,
                                   bool SharesMemory) {
  for (const auto &[Word, T] : Devices)
    if (!D.Uuid.empty() && T.Info.Uuid == D.Uuid)
      return Word;
  uint32_t Number = Ordinal;
  auto IsTaken = [&](uint32_t N) {
    auto It = Devices.find(cudaWord(N));
    return It != Devices.end() && !It->second.Info.Uuid.empty();
  };
  if (!D.Uuid.empty() && IsTaken(Number))
    for (Number = 0; Number != wire::MaxCudaDevices - 1 && IsTaken(Number);)
      ++Number;
  uint16_t Word = cudaWord(Number);
  if (DeviceHeaps &T = Devices[Word]; T.Info.Uuid.empty()) {
    T.Info = std::move(D);
    T.SharesMemory = SharesMemory;
  }
  return Word;
}

namespace {
struct KnownCudaHeap {
  const char *Name; ///< suffix after the device's name
  uint32_t Flags;
  bool IsHost; ///< belongs to no device
};
} // namespace

static constexpr KnownCudaHeap Known[wire::NumCudaHeaps] = {
    {"device", HF_None, false},
    {"managed", HF_None, false},
    {"pinned", HF_None, true},
    {"pool", HF_None, false},
    {"imported", HF_OutsideTotals, false},
    {"graph", HF_OutsideTotals, false},
    {"registered", HF_OutsideTotals, true},
    {"array", HF_None, false},
    {"reserved", HF_OutsideTotals, true},
    {"device", HF_None, false}};

uint32_t RecordedHeaps::cuda(CudaHeap H, uint16_t Device) {
  if (H == CudaHeap::Physical)
    H = Device == NoCudaDevice ? CudaHeap::Pinned : CudaHeap::Device;
  const KnownCudaHeap &K = Known[unsigned(H)];
  if (K.IsHost)
    Device = NoCudaDevice;
  else if (Device == NoCudaDevice)
    Device = cudaWord(255); // an unknown device
  DeviceHeaps &T = Devices[Device];
  uint32_t &Id = T.Cuda[unsigned(H)];
  if (Id)
    return Id;
  std::string &Name = T.CudaNames[unsigned(H)];
  Name = (K.IsHost ? "cuda" : TensorHeaps::deviceName(Device)) + "." + K.Name;
  nameDevice(T, Device);
  return Id = add(Name, 0, K.Flags, T.Space);
}

uint32_t RecordedHeaps::cudaSpace(uint16_t Device) {
  DeviceHeaps &T = Devices[Device];
  nameDevice(T, Device);
  return T.Space;
}

const Device &RecordedHeaps::cudaInfo(uint16_t Device) {
  return Devices[Device].Info;
}

bool RecordedHeaps::sharesMemory(uint16_t Device) const {
  auto It = Devices.find(Device);
  return It != Devices.end() && It->second.SharesMemory;
}

uint64_t RecordedHeaps::cudaAccounted(uint16_t Device) const {
  auto It = Devices.find(Device);
  if (It == Devices.end() || !It->second.Space)
    return 0;
  uint64_t Bytes = Stats.spaceLiveBytes(It->second.Space);
  const uint32_t *Heaps = It->second.Cuda;
  auto ReservedOf = [&](uint32_t Heap) {
    return Heap ? Stats.heapReserved(Heap).value_or(0) : 0;
  };
  // Blocks of graphs are addresses, and count no bytes.
  Bytes += ReservedOf(Heaps[unsigned(CudaHeap::Graph)]);
  uint32_t Pool = Heaps[unsigned(CudaHeap::Pool)];
  uint64_t Live = Pool ? Stats.heapLiveBytes(Pool) : 0;
  return Bytes + std::max(ReservedOf(Pool), Live) - Live;
}
