// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of PyTorch's allocator in a trace, device by device.

#ifndef MEMKIT_LIB_EXPORT_TORCHSNAPSHOTEVENTS_H
#define MEMKIT_LIB_EXPORT_TORCHSNAPSHOTEVENTS_H

#include "memkit/Model/Trace.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

namespace memkit {

/// The heaps of a device; 0: none.
struct TorchSnapshotDevice {
  uint32_t Tensors = 0, Segments = 0;
};

/// What a first pass over a process finds.
struct TorchSnapshotScan {
  uint32_t Process = 0;
  std::map<uint32_t, TorchSnapshotDevice> Devices; ///< by the device's index
  /// Blocks of segments that are resized, and so expand.
  llvm::DenseSet<uint64_t> Resized;
  /// The allocator's settings let all segments expand.
  bool AllExpand = false;
  bool expands(uint64_t Block) const {
    return AllExpand || Resized.contains(Block);
  }
  std::vector<Mark> Marks; ///< that become events or annotations
};

/// Process: as in writeTorchSnapshot().
llvm::Expected<TorchSnapshotScan> scanForTorchSnapshot(const Trace &T,
                                                       uint32_t Process);

struct TorchSnapshotBlock {
  uint64_t Address = 0, Size = 0;
  uint64_t Requested = 0; ///< as Size if not recorded
  uint64_t Enclosing = 0; ///< block + 1; 0: none
  uint32_t Stack = 0, ScopePath = 0, Heap = 0, Stream = 0, Pool = 0;
};

/// Gets the events of the blocks of one device. B: as it is after the event; a
/// freed block as it was.
class TorchSnapshotVisitor {
public:
  virtual ~TorchSnapshotVisitor();
  /// IsBefore: the block lived before the recorded events.
  virtual void allocated(const TorchSnapshotBlock &B, uint64_t Block,
                         uint64_t TimeNs, bool IsBefore) = 0;
  virtual void freed(const TorchSnapshotBlock &B, uint64_t TimeNs) = 0;
  virtual void resized(const TorchSnapshotBlock &B, uint64_t SizeBefore,
                       uint64_t TimeNs) = 0;
};

/// The blocks that live at the end, by number.
using TorchSnapshotBlocks = std::map<uint64_t, TorchSnapshotBlock>;

/// Visits the events of the device in their order.
llvm::Expected<TorchSnapshotBlocks>
visitTorchBlocks(const Trace &T, uint32_t Process,
                 const TorchSnapshotDevice &Device, TorchSnapshotVisitor &To,
                 llvm::function_ref<bool()> Failed);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_TORCHSNAPSHOTEVENTS_H
