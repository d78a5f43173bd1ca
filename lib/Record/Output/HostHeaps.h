// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heaps of the host to record.

#ifndef MEMKIT_LIB_RECORD_HOSTHEAPS_H
#define MEMKIT_LIB_RECORD_HOSTHEAPS_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace memkit {

enum class HostHeapKind : uint8_t {
  Malloc,
  Mmap,
  Reserved,
  File,
  Device,
  Stack,
  Break,
  PythonObject,
};
inline constexpr unsigned NumHostHeaps = 8;

struct KnownHeap {
  const char *Name; ///< `host.malloc`
  uint32_t Flags;   ///< HeapFlags
  /// The heap whose blocks usually enclose its blocks; Malloc: none.
  HostHeapKind Parent = HostHeapKind::Malloc;
};
const KnownHeap &knownHeap(HostHeapKind H);

/// The user's choice of heaps and blocks to record.
struct HeapChoice {
  uint32_t Bits = ~0u; ///< by HostHeapKind
  bool Tensors = true; ///< heaps of the devices of PyTorch and JAX
  /// Heaps that programs report, by NVTX or memkit.h.
  bool Pools = true;
  bool Cuda = true;     ///< heaps of CUDA's driver
  uint64_t MinSize = 0; ///< smaller blocks are not recorded
  /// Samples one byte in SampleBytes of `host.malloc`; 0: records all.
  uint64_t SampleBytes = 0;

  bool wants(HostHeapKind H) const { return Bits >> unsigned(H) & 1; }
  bool wants(HostHeapKind H, uint64_t Size) const {
    return wants(H) && Size >= MinSize;
  }
  /// The wire::HeapBits of the groups with a chosen heap.
  uint32_t wireBits() const;
  uint64_t sampleBytes(HostHeapKind H) const {
    return H == HostHeapKind::Malloc ? SampleBytes : 0;
  }
  /// Chooses the heaps whose names match a glob; all heaps without globs.
  /// python.object also needs PythonObjects. The heaps of PyTorch and
  /// JAX are chosen all or none; likewise those of NVTX, and those of CUDA.
  /// Errors: an invalid glob, a glob without a match.
  static llvm::Expected<HeapChoice> create(llvm::ArrayRef<std::string> Globs,
                                           uint64_t MinSize,
                                           bool PythonObjects = false);
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_HOSTHEAPS_H
