// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heaps and devices of a recording.

#ifndef MEMKIT_LIB_RECORD_RECORDEDHEAPS_H
#define MEMKIT_LIB_RECORD_RECORDEDHEAPS_H

#include "Output/Catalog.h"
#include "Output/HostHeaps.h"
#include "Wire/Cuda.h"
#include "memkit/Stats/LiveStats.h"
#include <map>

namespace memkit {

/// Gives heaps their ids. malloc's heap is there from the start; each of the
/// others is made when it is asked for first. A device of PyTorch is a number
/// as TensorHeaps has it. Belongs to the recorder's thread.
class RecordedHeaps {
public:
  RecordedHeaps(Catalog &Names, LiveStats &Stats, const HeapChoice &Wanted)
      : Names(Names), Stats(Stats), Wanted(Wanted) {}
  /// Makes malloc's heap; before any other.
  void start() { host(HostHeapKind::Malloc); }

  uint32_t malloc() const { return Host[unsigned(HostHeapKind::Malloc)]; }
  uint32_t host(HostHeapKind H);
  /// A heap of a program's own, `nvtx.NAME` or `pool.NAME`. Flags: HeapFlags of
  /// all heaps of the prefix. Beyond MaxPoolHeaps they are one heap a prefix.
  uint32_t pool(llvm::StringRef Prefix, llvm::StringRef Name, uint32_t Flags);

  //===--------------------------------------------------------------------===//
  // PyTorch
  //===--------------------------------------------------------------------===//

  /// The heap of a device's tensors.
  uint32_t tensors(uint16_t Device);
  /// The heap of the segments in which a device's tensors lie: a heap of the
  /// device, and the parent of its tensors' when it is made first.
  uint32_t segments(uint16_t Device);
  /// The memory space of a heap of tensors plus 1; 0: the heap is none. A
  /// memory space has one such heap.
  uint32_t spaceOfTensors(uint32_t Heap) const {
    return Heap < SpaceOfTensors.size() ? SpaceOfTensors[Heap] : 0;
  }
  bool isTensors(uint32_t Heap) const { return spaceOfTensors(Heap) != 0; }
  const std::vector<uint32_t> &allTensors() const { return HeapsOfTensors; }

  //===--------------------------------------------------------------------===//
  // CUDA
  //===--------------------------------------------------------------------===//

  static constexpr uint16_t NoCudaDevice = 0;
  /// The device of CUDA that D is: known by its UUID, in whatever process and
  /// by whatever ordinal it is seen.
  uint16_t cudaDevice(uint32_t Ordinal, Device D);
  /// A heap of CUDA's driver; Device NoCudaDevice: of none.
  uint32_t cuda(wire::CudaHeap H, uint16_t Device);
  /// The memory space of a device of CUDA.
  uint32_t cudaSpace(uint16_t Device);
  /// What is known of the device.
  const Device &cudaInfo(uint16_t Device);
  /// What lives on the device now, with what the driver's pools keep for more.
  uint64_t cudaAccounted(uint16_t Device) const;

  //===--------------------------------------------------------------------===//
  // Names
  //===--------------------------------------------------------------------===//

  /// Of a heap that one of the functions above gave.
  llvm::StringRef heapName(uint32_t Heap) const;
  /// `host` or `cuda:0`; empty: there is no such memory space.
  std::string spaceName(uint32_t Space) const;

private:
  struct DeviceHeaps {
    uint32_t Tensors = 0, Segments = 0;
    uint32_t Space = 0;
    std::string TensorsName, SegmentsName;
    uint32_t Cuda[wire::NumCudaHeaps] = {};
    std::string CudaNames[wire::NumCudaHeaps];
    Device Info; ///< all but its memory space; empty: not known
  };
  void nameDevice(DeviceHeaps &D, uint16_t Device);
  uint32_t add(const std::string &Name, uint32_t Parent, uint32_t Flags,
               uint32_t Space = 0);

  static constexpr size_t MaxPoolHeaps = 64;
  Catalog &Names;
  LiveStats &Stats;
  const HeapChoice &Wanted;
  uint32_t Host[NumHostHeaps] = {};
  std::map<uint16_t, DeviceHeaps> Devices;
  std::vector<uint32_t> HeapsOfTensors;  ///< in no order
  std::vector<uint32_t> SpaceOfTensors;  ///< by heap: memory space + 1; 0: none
  std::map<std::string, uint32_t> Pools; ///< by name
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RECORDEDHEAPS_H
