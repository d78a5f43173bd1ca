// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heaps and devices of a recording.

#ifndef MEMKIT_LIB_RECORD_RECORDEDHEAPS_H
#define MEMKIT_LIB_RECORD_RECORDEDHEAPS_H

#include "Output/HostHeaps.h"
#include "Trace/Catalog.h"
#include "Wire/Layout.h"
#include "memkit/Stats/LiveStats.h"
#include <functional>
#include <map>

namespace memkit {

/// Assigns ids to heaps. malloc's heap exists from start(); each other heap is
/// added at its first request. Devices of PyTorch are numbered as in
/// TensorHeaps. Belongs to the recorder's thread.
class RecordedHeaps {
public:
  RecordedHeaps(Catalog &Names, LiveStats &Stats, const HeapChoice &Wanted)
      : Names(Names), Stats(Stats), Wanted(Wanted) {}
  /// Called for each new heap, before its first event; may be empty.
  std::function<void(uint32_t Heap, llvm::StringRef Name, uint32_t Space,
                     llvm::StringRef SpaceName)>
      OnHeap;
  /// Calls OnHeap for all heaps so far.
  void tellOfAll() const;

  /// Adds malloc's heap; call before all others.
  void start() { host(HostHeapKind::Malloc); }

  /// Whether only samples of the heap's blocks are recorded.
  bool isSampled(uint32_t Heap) const {
    return Heap < SampledHeaps.size() && SampledHeaps[Heap];
  }
  uint32_t malloc() const { return Host[unsigned(HostHeapKind::Malloc)]; }
  uint32_t host(HostHeapKind H);
  /// A heap of a program's pool, `nvtx.NAME`, `pool.NAME` or, of a private
  /// allocator, `private.NAME`. Flags: HeapFlags (HF_Estimates: sampled),
  /// the same for all heaps of a prefix. Beyond MaxPoolHeaps all names of a
  /// prefix share one heap.
  uint32_t pool(llvm::StringRef Prefix, llvm::StringRef Name, uint32_t Flags);

  //===--------------------------------------------------------------------===//
  // PyTorch, TensorFlow, JAX
  //===--------------------------------------------------------------------===//

  /// The heap of a device's tensors of a framework: `torch.cpu`, `tf.cpu`.
  uint32_t tensors(uint16_t Device, wire::TensorFramework Of);
  /// The heap of the segments that hold a device's tensors of a framework: a
  /// heap of the device. If added first, the parent of the tensors' heap. 0:
  /// the host, or JAX, whose segments are not known.
  uint32_t segments(uint16_t Device, wire::TensorFramework Of);
  /// The memory space of a heap of tensors, plus 1; 0: Heap is no heap of
  /// tensors. A memory space has at most one heap of tensors of each framework.
  uint32_t spaceOfTensors(uint32_t Heap) const {
    return Heap < SpaceOfTensors.size() ? SpaceOfTensors[Heap] : 0;
  }
  bool isTensors(uint32_t Heap) const { return spaceOfTensors(Heap) != 0; }
  const std::vector<uint32_t> &allTensors() const { return HeapsOfTensors; }

  //===--------------------------------------------------------------------===//
  // CUDA
  //===--------------------------------------------------------------------===//

  static constexpr uint16_t NoCudaDevice = 0;
  /// The recording's number of the CUDA device D: found by its UUID, whatever
  /// the process or the Ordinal.
  uint16_t cudaDevice(uint32_t Ordinal, Device D, bool SharesMemory);
  /// A heap of CUDA's driver; Device NoCudaDevice: a heap of no device.
  uint32_t cuda(wire::CudaHeap H, uint16_t Device);
  /// The memory space of a CUDA device.
  uint32_t cudaSpace(uint16_t Device);
  /// The known properties of the device.
  const Device &cudaInfo(uint16_t Device);
  /// The device has no memory of its own: its blocks lie in the machine's.
  bool sharesMemory(uint16_t Device) const;
  /// The live bytes on the device now, plus the free bytes that the driver's
  /// pools reserve and the bytes reserved for graphs.
  uint64_t cudaAccounted(uint16_t Device) const;

  //===--------------------------------------------------------------------===//
  // Devices that programs report (memkit.h)
  //===--------------------------------------------------------------------===//

  /// The memory space of a device that only the program knows. Beyond
  /// MaxReportedDevices all names share one memory space.
  uint32_t reportedSpace(llvm::StringRef Device);
  /// Whether memkit itself measures the device of a memory space: CUDA's.
  bool isMeasured(uint32_t Space) const;
  /// The heap `DEVICE.NAME` of a memory space, which is not host. Beyond
  /// MaxPoolHeaps as pool().
  uint32_t deviceHeap(uint32_t Space, llvm::StringRef Name);

  //===--------------------------------------------------------------------===//
  // Names
  //===--------------------------------------------------------------------===//

  /// The name of a heap from one of the functions above.
  llvm::StringRef heapName(uint32_t Heap) const;
  /// `host` or `cuda:0`; empty: no such memory space.
  std::string spaceName(uint32_t Space) const;

private:
  struct DeviceHeaps {
    uint32_t Tensors[wire::NumTensorFrameworks] = {};
    uint32_t Segments[wire::NumTensorFrameworks] = {};
    uint32_t Space = 0;
    std::string TensorsNames[wire::NumTensorFrameworks];
    std::string SegmentsNames[wire::NumTensorFrameworks];
    uint32_t Cuda[wire::NumCudaHeaps] = {};
    std::string CudaNames[wire::NumCudaHeaps];
    Device Info; ///< without its memory space; empty: unknown
    bool SharesMemory = false;
  };
  void nameDevice(DeviceHeaps &D, uint16_t Device);
  uint32_t add(const std::string &Name, uint32_t Parent, uint32_t Flags,
               uint32_t Space = 0);

  struct KnownName {
    uint32_t Heap, Space;
    std::string Name;
  };
  void noteSampled(uint32_t Id, const Heap &Of);
  void addKnown(uint32_t Heap, uint32_t Space, llvm::StringRef Name);

  static constexpr size_t MaxPoolHeaps = 64, MaxReportedDevices = 64;
  uint32_t poolNamed(llvm::StringRef Called, llvm::StringRef Prefix,
                     uint32_t Flags, uint32_t Space);
  Catalog &Names;
  LiveStats &Stats;
  const HeapChoice &Wanted;
  uint32_t Host[NumHostHeaps] = {};
  std::map<uint16_t, DeviceHeaps> Devices;
  std::vector<bool> SampledHeaps;        ///< by heap
  std::vector<uint32_t> HeapsOfTensors;  ///< in no order
  std::vector<uint32_t> SpaceOfTensors;  ///< by heap: memory space + 1; 0: none
  std::map<std::string, uint32_t> Pools; ///< by name
  /// Memory spaces by name, of devices that are not in Devices.
  std::map<std::string, uint32_t> Reported;
  std::vector<KnownName> AllHeaps; ///< all heaps
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RECORDEDHEAPS_H
