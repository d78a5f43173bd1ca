// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heaps of the host to record.

#ifndef MEMKIT_LIB_RECORD_HOSTHEAPS_H
#define MEMKIT_LIB_RECORD_HOSTHEAPS_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#include <vector>

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
  Touched,
};
inline constexpr unsigned NumHostHeaps = 9;

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
  bool Tensors = true; ///< heaps of tensors
  /// Heaps that programs report, by NVTX or memkit.h.
  bool Pools = true;
  bool Private = true;                  ///< heaps of private allocators
  bool Cuda = true;                     ///< heaps of CUDA's driver
  std::vector<llvm::GlobPattern> Globs; ///< empty: all heaps
  uint64_t MinSize = 0;                 ///< smaller blocks are not recorded
  /// Samples one byte in SampleBytes of `host.malloc`; 0: records all.
  uint64_t SampleBytes = 0;

  bool wants(HostHeapKind H) const { return Bits >> unsigned(H) & 1; }
  /// Of a heap whose name is known when its device is.
  bool wantsNamed(llvm::StringRef Heap) const {
    return Globs.empty() ||
           llvm::any_of(Globs, [Heap](const auto &G) { return G.match(Heap); });
  }
  bool wants(HostHeapKind H, uint64_t Size) const {
    return wants(H) && Size >= MinSize;
  }
  /// The wire::HeapBits of the groups with a chosen heap.
  uint32_t wireBits() const;
  uint64_t sampleBytes(HostHeapKind H) const {
    return H == HostHeapKind::Malloc ? SampleBytes : 0;
  }
  /// Chooses the heaps whose names match a glob; all heaps without globs.
  /// python.object also needs PythonObjects. The heaps of tensors are chosen by
  /// device (wantsNamed()); those of NVTX all or none, and those of CUDA.
  /// host.touched brings host.reserved, in whose mappings its blocks are.
  /// Errors: an invalid glob, a glob without a match.
  static llvm::Expected<HeapChoice> create(llvm::ArrayRef<std::string> Globs,
                                           uint64_t MinSize,
                                           bool PythonObjects = false);
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_HOSTHEAPS_H
