// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace's numbers for CUDA's handles.

#include "Sources/CudaNumbers.h"
#include "Output/TensorHeaps.h"
#include "Sources/EventSink.h"

using namespace llvm;
using namespace memkit;

uint16_t CudaNumbers::device(uint32_t Ordinal) {
  if (Ordinal >= wire::MaxCudaDevices)
    return RecordedHeaps::NoCudaDevice;
  uint16_t &Number = Devices[Ordinal];
  if (Number)
    return Number;
  const wire::CudaDevice &From = Sink.shared().control().CudaDevices[Ordinal];
  Device D;
  bool SharesMemory = false;
  if (From.State.load(std::memory_order_acquire)) {
    auto Text = [](const char *Bytes, size_t Room) {
      return std::string(Bytes, strnlen(Bytes, Room));
    };
    D.Name = Text(From.Name, sizeof(From.Name));
    D.Pci = Text(From.Pci, sizeof(From.Pci));
    D.Bytes = From.Bytes;
    SharesMemory = From.SharesMemory != 0;
    if (any_of(From.Uuid, [](uint8_t Byte) { return Byte != 0; }))
      D.Uuid.assign(std::begin(From.Uuid), std::end(From.Uuid));
  }
  // A program may name a device before CUDA has told of it.
  uint16_t Is = Sink.heaps().cudaDevice(Ordinal, std::move(D), SharesMemory);
  if (From.State.load(std::memory_order_acquire))
    Number = Is;
  return Is;
}

uint16_t CudaNumbers::torchDevice(uint16_t Word) {
  uint32_t Index = Word >> 8;
  return uint8_t(Word) == TensorHeaps::Cuda && Index < wire::MaxCudaDevices
             ? device(Index)
             : Word;
}

uint32_t CudaNumbers::spaceNamed(StringRef Name) {
  if (Name.empty() || Name == "host")
    return 0;
  if (std::optional<uint16_t> Word = TensorHeaps::deviceNamed(Name))
    return Sink.heaps().cudaSpace(torchDevice(*Word));
  return Sink.heaps().reportedSpace(Name);
}

uint32_t CudaNumbers::stream(uint64_t Handle) {
  // The two highest values cannot be keys of the map, and are no handles.
  if (!Handle || Handle >= ~uint64_t(1) ||
      (Streams.size() == MaxHandles && !Streams.count(Handle)))
    return 0;
  return Streams.try_emplace(Handle, Streams.size() + 1).first->second;
}

uint32_t CudaNumbers::pool(uint64_t First, uint64_t Second) {
  if (Pools.size() == MaxHandles && !Pools.count({First, Second}))
    return 0;
  return Pools.try_emplace({First, Second}, Pools.size() + 1).first->second;
}

uint32_t CudaNumbers::knownPool(uint64_t First, uint64_t Second) const {
  auto It = Pools.find({First, Second});
  return It == Pools.end() ? 0 : It->second;
}
