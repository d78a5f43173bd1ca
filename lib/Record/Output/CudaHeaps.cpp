// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices and heaps of CUDA.
//
// A device has one name in a recording, whatever number a process knows it by
// (CUDA_VISIBLE_DEVICES differs from rank to rank): it is known by its UUID,
// and called by the first number under which it was seen that no other has.

#include "Output/Recording.h"
#include "Output/TensorHeaps.h"

using namespace llvm;
using namespace memkit;
using wire::CudaHeap;

static uint16_t cudaWord(uint32_t Number) {
  return uint16_t(TensorHeaps::Cuda | Number << 8);
}

uint16_t Recording::cudaDevice(uint32_t AllocationId, Device D) {
  for (const auto &[Word, T] : DeviceHeaps)
    if (!D.Uuid.empty() && T.Facts.Uuid == D.Uuid)
      return Word;
  uint32_t Number = AllocationId;
  auto IsTaken = [&](uint32_t N) {
    auto It = DeviceHeaps.find(cudaWord(N));
    return It != DeviceHeaps.end() && !It->second.Facts.Uuid.empty();
  };
  if (!D.Uuid.empty() && IsTaken(Number))
    for (Number = 0; Number != wire::MaxCudaDevices - 1 && IsTaken(Number);)
      ++Number;
  uint16_t Word = cudaWord(Number);
  if (TensorHeap &T = DeviceHeaps[Word]; T.Facts.Uuid.empty())
    T.Facts = std::move(D);
  return Word;
}

namespace {
struct KnownCudaHeap {
  const char *Name; ///< behind the device's
  uint32_t Flags;
  bool IsHost; ///< of no device
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

uint32_t Recording::cudaHeap(CudaHeap H, uint16_t Device) {
  if (H == CudaHeap::Physical)
    H = Device == NoCudaDevice ? CudaHeap::Pinned : CudaHeap::Device;
  const KnownCudaHeap &K = Known[unsigned(H)];
  if (K.IsHost)
    Device = NoCudaDevice;
  else if (Device == NoCudaDevice)
    Device = cudaWord(255); // one that is not known
  TensorHeap &T = DeviceHeaps[Device];
  uint32_t &Id = T.Cuda[unsigned(H)];
  if (Id)
    return Id;
  std::string &Name = T.CudaNames[unsigned(H)];
  Name = (K.IsHost ? "cuda" : TensorHeaps::deviceName(Device)) + "." + K.Name;
  return Id = addTensorHeap(T, Device, Name, 0, K.Flags);
}

uint32_t Recording::cudaSpace(uint16_t Device) {
  TensorHeap &T = DeviceHeaps[Device];
  nameDevice(T, Device, Names);
  return T.Space;
}

const Device &Recording::cudaInfo(uint16_t Device) {
  return DeviceHeaps[Device].Facts;
}

uint64_t Recording::cudaAccounted(uint16_t Device) const {
  auto It = DeviceHeaps.find(Device);
  if (It == DeviceHeaps.end() || !It->second.Space)
    return 0;
  uint64_t Bytes = Stats.spaceLiveBytes(It->second.Space);
  const uint32_t *Heaps = It->second.Cuda;
  auto ReservedOf = [&](uint32_t Heap) {
    return Heap ? Stats.heapReserved(Heap).value_or(0) : 0;
  };
  // Graphs' blocks are addresses, and count nothing.
  Bytes += ReservedOf(Heaps[unsigned(CudaHeap::Graph)]);
  uint32_t Pool = Heaps[unsigned(CudaHeap::Pool)];
  uint64_t Live = Pool ? Stats.heapLiveBytes(Pool) : 0;
  return Bytes + std::max(ReservedOf(Pool), Live) - Live;
}
