// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heaps and devices of a recording.

#include "Output/RecordedHeaps.h"
#include "Output/TensorHeaps.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

uint32_t RecordedHeaps::add(const std::string &Name, uint32_t Parent,
                            uint32_t Flags, uint32_t Space) {
  Heap New;
  New.Name = Names.Names.string(Name);
  New.Parent = Parent;
  New.Flags = Flags;
  New.Space = Space;
  if (Flags & HF_Estimates)
    New.SampleBytes = Wanted.SampleBytes;
  uint32_t Id = Names.addHeap(New);
  noteSampled(Id, New);
  Stats.addHeap(Id, New);
  addKnown(Id, Space, Name);
  return Id;
}

void RecordedHeaps::noteSampled(uint32_t Id, const Heap &Of) {
  SampledHeaps.resize(std::max(SampledHeaps.size(), Id + size_t(1)));
  SampledHeaps[Id] = Of.Flags & HF_Estimates;
}

void RecordedHeaps::addKnown(uint32_t Heap, uint32_t Space, StringRef Name) {
  AllHeaps.push_back({Heap, Space, Name.str()});
  if (OnHeap)
    OnHeap(Heap, Name, Space, spaceName(Space));
}

void RecordedHeaps::tellOfAll() const {
  for (const KnownName &K : AllHeaps)
    OnHeap(K.Heap, K.Name, K.Space, spaceName(K.Space));
}

uint32_t RecordedHeaps::host(HostHeapKind H) {
  uint32_t &Id = Host[unsigned(H)];
  if (Id)
    return Id;
  const KnownHeap &K = knownHeap(H);
  Heap New;
  New.Name = Names.Names.string(K.Name);
  New.Flags = K.Flags;
  if (K.Parent != HostHeapKind::Malloc)
    New.Parent = host(K.Parent);
  New.SampleBytes = Wanted.sampleBytes(H);
  if (New.SampleBytes)
    New.Flags |= HF_Estimates;
  Id = Names.addHeap(New);
  noteSampled(Id, New);
  Stats.addHeap(Id, New);
  addKnown(Id, 0, K.Name);
  return Id;
}

uint32_t RecordedHeaps::pool(StringRef Prefix, StringRef Called,
                             uint32_t Flags) {
  return poolNamed(Called, Prefix, Flags, /*Space=*/0);
}

uint32_t RecordedHeaps::poolNamed(StringRef Called, StringRef Prefix,
                                  uint32_t Flags, uint32_t Space) {
  std::string Name =
      (Prefix + "." + (Called.empty() ? "(no name)" : Called)).str();
  if (Pools.size() >= MaxPoolHeaps && !Pools.count(Name))
    Name = (Prefix + ".(more)").str();
  uint32_t &Id = Pools[Name];
  if (!Id)
    Id = add(Name, 0, Flags, Space);
  return Id;
}

uint32_t RecordedHeaps::reportedSpace(StringRef Name) {
  if (Reported.size() >= MaxReportedDevices && !Reported.count(Name.str()))
    Name = "(more)";
  uint32_t &Space = Reported[Name.str()];
  if (!Space) {
    Device D;
    D.Space = Name.str();
    Space = Names.addDevice(D);
  }
  return Space;
}

bool RecordedHeaps::isMeasured(uint32_t Space) const {
  return any_of(Devices, [Space](const auto &Known) {
    return Known.second.Space == Space && !Known.second.Info.Uuid.empty();
  });
}

uint32_t RecordedHeaps::deviceHeap(uint32_t Space, StringRef Name) {
  return poolNamed(Name, spaceName(Space), HF_None, Space);
}

//===----------------------------------------------------------------------===//
// PyTorch, TensorFlow, JAX
//===----------------------------------------------------------------------===//

void RecordedHeaps::nameDevice(DeviceHeaps &D, uint16_t Device) {
  if (uint8_t(Device) == TensorHeaps::Cpu || D.Space)
    return;
  struct Device Named = D.Info;
  Named.Space = TensorHeaps::deviceName(Device);
  D.Space = Names.addDevice(Named);
}

uint32_t RecordedHeaps::tensors(uint16_t Device, wire::TensorFramework Of) {
  DeviceHeaps &D = Devices[Device];
  uint32_t &Id = D.Tensors[size_t(Of)];
  if (Id)
    return Id;
  bool IsPinned = uint8_t(Device) == wire::TensorDeviceWord::Pinned;
  std::string &Name = D.TensorsNames[size_t(Of)];
  Name = TensorHeaps::prefix(Of) + TensorHeaps::deviceName(Device);
  bool IsCpu = uint8_t(Device) == TensorHeaps::Cpu;
  // The estimate for malloc includes tensors of the CPU already.
  uint32_t Flags = IsCpu && Wanted.SampleBytes ? HF_OutsideTotals : HF_None;
  // JAX names buffers by handles, not addresses: no block of the driver
  // encloses them, and they would count twice.
  bool HasDriver = uint8_t(Device) == TensorHeaps::Cuda;
  if (Of == wire::TensorFramework::Jax && HasDriver)
    Flags = HF_OutsideTotals;
  uint32_t Parent =
      IsCpu      ? malloc()
      : IsPinned ? Devices[NoCudaDevice].Cuda[unsigned(wire::CudaHeap::Pinned)]
                 : D.Segments[size_t(Of)];
  if (IsPinned) // memory of the host, and no heap of tensors
    return Id = add(Name, Parent, Flags);
  nameDevice(D, Device);
  Id = add(Name, Parent, Flags, D.Space);
  HeapsOfTensors.push_back(Id);
  SpaceOfTensors.resize(Id + size_t(1));
  SpaceOfTensors[Id] = D.Space + 1;
  return Id;
}

uint32_t RecordedHeaps::segments(uint16_t Device, wire::TensorFramework Of) {
  DeviceHeaps &D = Devices[Device];
  uint32_t &Id = D.Segments[size_t(Of)];
  if (Id || uint8_t(Device) == TensorHeaps::Cpu ||
      Of == wire::TensorFramework::Jax)
    return Id;
  std::string &Name = D.SegmentsNames[size_t(Of)];
  Name =
      TensorHeaps::prefix(Of) + TensorHeaps::deviceName(Device) + ".segments";
  nameDevice(D, Device);
  return Id = add(Name, D.Cuda[unsigned(wire::CudaHeap::Device)], HF_None,
                  D.Space);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

StringRef RecordedHeaps::heapName(uint32_t Heap) const {
  for (unsigned H = 0; H != NumHostHeaps; ++H)
    if (Host[H] == Heap)
      return knownHeap(HostHeapKind(H)).Name;
  for (const auto &[Device, D] : Devices)
    if (auto Of = find(D.Tensors, Heap); Of != std::end(D.Tensors))
      return D.TensorsNames[Of - D.Tensors];
    else if (auto Of = find(D.Segments, Heap); Of != std::end(D.Segments))
      return D.SegmentsNames[Of - D.Segments];
    else if (auto It = find(D.Cuda, Heap); It != std::end(D.Cuda))
      return D.CudaNames[It - D.Cuda];
  for (const auto &[Name, Id] : Pools)
    if (Id == Heap)
      return Name;
  return "";
}

std::string RecordedHeaps::spaceName(uint32_t Space) const {
  if (!Space)
    return "host";
  for (const auto &[Device, D] : Devices)
    if (D.Space == Space)
      return TensorHeaps::deviceName(Device);
  for (const auto &[Name, Id] : Reported)
    if (Id == Space)
      return Name;
  return "";
}
