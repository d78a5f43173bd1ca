// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The segments of a PyTorch snapshot, with their blocks.

#include "TorchSnapshotSegments.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

namespace {

struct SnapshotSegment {
  TorchSnapshotBlock Block;
  bool Expands = false;
  std::vector<const TorchSnapshotBlock *> Tensors;
};

class SegmentWriter {
public:
  SegmentWriter(PickleWriter &To, TorchSnapshotFrames &Frames, uint32_t Index)
      : To(To), Frames(Frames), Index(Index) {}

  void write(const SnapshotSegment &S) {
    uint64_t Allocated = 0, Requested = 0;
    for (const TorchSnapshotBlock *B : S.Tensors) {
      Allocated += B->Size;
      Requested += B->Requested;
    }
    To.dict([&] {
      To.entry("device", uint64_t(Index));
      To.entry("address", S.Block.Address);
      To.entry("total_size", S.Block.Size);
      To.entry("allocated_size", Allocated);
      To.entry("active_size", Allocated);
      To.entry("requested_size", Requested);
      To.entry("stream", uint64_t(S.Block.Stream));
      // The allocator takes 2 MiB at a time for small blocks alone.
      constexpr uint64_t SmallSegment = 2 << 20;
      To.entry("segment_type",
               S.Block.Size == SmallSegment ? "small" : "large");
      To.text("segment_pool_id");
      To.number(0);
      To.number(S.Block.Pool);
      To.pair();
      To.next();
      To.text("is_expandable");
      To.boolean(S.Expands);
      To.next();
      To.text("frames");
      Frames.write(S.Block.Stack);
      To.next();
      To.text("blocks");
      To.list([&] { writeBlocks(S); });
      To.next();
    });
    To.next();
  }

private:
  void writeBlocks(const SnapshotSegment &S) {
    uint64_t At = S.Block.Address, Free = S.Block.Size;
    for (const TorchSnapshotBlock *B : S.Tensors)
      Free -= std::min(Free, B->Size);
    for (const TorchSnapshotBlock *B : S.Tensors) {
      // A segment that expands may have holes, which are no blocks.
      uint64_t Gap = B->Address > At ? std::min(B->Address - At, Free) : 0;
      if (Gap)
        writeBlock(At, Gap, 0, 0, false);
      Free -= Gap;
      writeBlock(B->Address, B->Size, B->Requested, B->Stack, true);
      At = B->Address + B->Size;
    }
    if (Free)
      writeBlock(At, Free, 0, 0, false);
  }

  void writeBlock(uint64_t Address, uint64_t Size, uint64_t Requested,
                  uint32_t Stack, bool IsActive) {
    To.dict([&] {
      To.entry("address", Address);
      To.entry("size", Size);
      To.entry("requested_size", Requested);
      To.entry("state", IsActive ? "active_allocated" : "inactive");
      To.text("frames");
      Frames.write(Stack);
      To.next();
    });
    To.next();
  }

  PickleWriter &To;
  TorchSnapshotFrames &Frames;
  uint32_t Index;
};

} // namespace

void memkit::writeTorchSegments(PickleWriter &To, TorchSnapshotFrames &Frames,
                                uint32_t Index,
                                const TorchSnapshotDevice &Device,
                                const TorchSnapshotScan &Scan,
                                const TorchSnapshotBlocks &Blocks) {
  std::map<uint64_t, SnapshotSegment> Segments; ///< by block
  for (const auto &[Number, B] : Blocks)
    if (B.Heap == Device.Segments)
      Segments[Number] = {B, Scan.expands(Number), {}};
  for (const auto &[Number, B] : Blocks) {
    if (B.Heap != Device.Tensors)
      continue;
    auto It = B.Enclosing ? Segments.find(B.Enclosing - 1) : Segments.end();
    if (It == Segments.end())
      It = Segments.try_emplace(Number, SnapshotSegment{B, false, {}}).first;
    It->second.Tensors.push_back(&B);
  }
  auto ByAddress = [](const TorchSnapshotBlock *A,
                      const TorchSnapshotBlock *B) {
    return A->Address < B->Address;
  };
  std::vector<SnapshotSegment *> Order;
  for (auto &[Number, S] : Segments) {
    llvm::stable_sort(S.Tensors, ByAddress);
    Order.push_back(&S);
  }
  llvm::stable_sort(Order,
                    [](const SnapshotSegment *A, const SnapshotSegment *B) {
                      return A->Block.Address < B->Block.Address;
                    });
  for (const SnapshotSegment *S : Order)
    SegmentWriter(To, Frames, Index).write(*S);
}
