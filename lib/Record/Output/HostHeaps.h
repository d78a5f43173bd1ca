// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heaps of the host that are recorded.

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
  /// Whose blocks usually enclose its own; Malloc: none's.
  HostHeapKind Parent = HostHeapKind::Malloc;
};
const KnownHeap &knownHeap(HostHeapKind H);

/// What of the host is recorded.
struct HeapChoice {
  uint32_t Bits = ~0u;  ///< by HostHeapKind
  bool Tensors = true;  ///< the heaps of PyTorch's devices
  bool Pools = true;    ///< those that programs report, by NVTX or memkit.h
  bool Cuda = true;     ///< those of CUDA's driver
  uint64_t MinSize = 0; ///< smaller blocks are left out
  /// One byte in so many of `host.malloc` is sampled; 0: all are recorded.
  uint64_t SampleBytes = 0;

  bool wants(HostHeapKind H) const { return Bits >> unsigned(H) & 1; }
  bool wants(HostHeapKind H, uint64_t Size) const {
    return wants(H) && Size >= MinSize;
  }
  /// The wire::HeapBits of the groups of which something is wanted.
  uint32_t wireBits() const;
  uint64_t sampleBytes(HostHeapKind H) const {
    return H == HostHeapKind::Malloc ? SampleBytes : 0;
  }
  /// The heaps whose names one of the globs matches; without globs all; of
  /// python.object only with PythonObjects, of PyTorch, of NVTX and of CUDA all
  /// or none. Fails when a glob is wrong or matches none.
  static llvm::Expected<HeapChoice> create(llvm::ArrayRef<std::string> Globs,
                                           uint64_t MinSize,
                                           bool PythonObjects = false);
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_HOSTHEAPS_H
