// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ids of a trace that is being written.

#ifndef MEMKIT_LIB_TRACE_CATALOG_H
#define MEMKIT_LIB_TRACE_CATALOG_H

#include "Support/ChunkedArray.h"
#include "Trace/NameTable.h"
#include "Trace/NodeChains.h"
#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace memkit {

/// Assigns ids to everything that a dictionary defines, the same id to equal
/// things of all processes, and collects the new entries for the next
/// Dictionary section. Belongs to one thread.
class Catalog {
public:
  /// The entries added since the caller last emptied it.
  Dictionary &pending() { return Names.Pending; }
  bool hasPending() const;

  NameTable Names;

  uint32_t binary(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildId);
  uint32_t frame(const Frame &F);
  /// The frame of code at Address outside of all binaries of Process. Other
  /// code at this address in another process has a frame of its own.
  uint32_t unownedFrame(uint32_t Process, uint64_t Address);
  /// The frame of a function known by name only: `malloc`, the marker of a gap.
  uint32_t namedFrame(llvm::StringRef Function);
  uint32_t addProcess(const ProcessRecord &I);
  uint32_t addThread(const Thread &T);
  uint32_t addHeap(const Heap &H);
  uint32_t addDevice(const Device &D);
  void addLoad(const Load &L) { pending().Loads.push_back(L); }

  /// The node at the end of a path of frames, and the stack that ends there.
  struct FramePath {
    uint32_t Node;
    uint32_t Stack;
  };
  /// The path of Frames, outermost first, from node Parent on; adds missing
  /// nodes. Calls OnNode with the index and node of each frame, in order.
  FramePath stack(uint32_t Parent, llvm::ArrayRef<uint32_t> Frames,
                  llvm::function_ref<void(size_t, uint32_t)> OnNode);

  /// Called for each new native frame: id, binary, address in the binary.
  std::function<void(uint32_t, uint32_t, uint64_t)> OnNativeFrame;
  /// Called for each new frame of unownedFrame(): id, process, address.
  std::function<void(uint32_t, uint32_t, uint64_t)> OnUnownedFrame;

  uint32_t numProcesses() const { return NumProcesses; }
  uint32_t numBinaries() const { return NumBinaries; }
  uint32_t numFrames() const { return NumFrames; }
  uint32_t numNodes() const { return Tree.numNodes(); }
  uint32_t numStacks() const { return NumStacks; }

private:
  uint32_t findNode(uint32_t Parent, uint32_t Frame);
  uint32_t findBranch(uint32_t Parent, uint32_t Frame) const;
  uint32_t addNodes(uint32_t Parent, llvm::ArrayRef<uint32_t> Path);
  void widen(uint32_t Chain);
  void index(uint32_t Id, uint32_t Parent);
  uint32_t &stackAt(uint32_t Node);

  /// A chain of Tree. The chains that begin below its nodes, its branches, form
  /// a list, newest first; more than MaxListed are in the shards.
  struct CatalogChain {
    uint32_t First;  ///< node
    uint32_t Branch; ///< 1 + the first chain of the list; 0: none; or Wide
    uint32_t Next;   ///< likewise the next chain of the list with this chain
    uint32_t Stack;  ///< that ends at the last node; 0: none
  };
  static constexpr unsigned MaxListed = 8;
  static constexpr uint32_t Wide = UINT32_MAX;
  /// A node id, 0 for none, and the low bits of the hash of the node's key: a
  /// search reads few wrong nodes, and growing reads no node.
  struct NodeSlot {
    uint32_t Id, Tag;
  };
  /// Open addressing with linear probing. Each shard grows separately, so that
  /// no step takes long.
  struct NodeShard {
    std::vector<NodeSlot> Slots;
    uint32_t Count = 0;
  };
  static void place(std::vector<NodeSlot> &Slots, NodeSlot New);
  static constexpr unsigned ShardBits = 8;
  static uint64_t hashNode(uint32_t Parent, uint32_t Frame) {
    uint64_t X = (uint64_t(Parent) << 32 | Frame) * 0x9E3779B97F4A7C15ull;
    return (X ^ (X >> 32)) * 0xD6E8FEB86659FD93ull;
  }

  uint32_t NumBinaries = 0, NumFrames = 0, NumProcesses = 0, NumThreads = 0,
           NumHeaps = 0, NumDevices = 0, NumStacks = 0;
  llvm::StringMap<uint32_t> Binaries; ///< by path, NUL and build-id
  /// The number of the key's frame, and whether the key is new; a new key gets
  /// the next number.
  std::pair<uint32_t, bool> frameOf(uint64_t Container, uint64_t Address);
  /// Several maps, so that the growth of one does not take long.
  static constexpr unsigned FramePartBits = 6;
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, uint32_t>
      Frames[1u << FramePartBits];
  NodeChains Tree;
  ChunkedArray<uint32_t, 12> NodeFrames; ///< by node
  ChunkedArray<CatalogChain, 10> Chains; ///< by chain
  /// The first nodes of the branches of wide chains and of the root, by parent
  /// and frame.
  NodeShard Shards[1u << ShardBits];
  /// The stacks that end at another node, by node.
  llvm::DenseMap<uint32_t, uint32_t> InnerStacks;
};

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_CATALOG_H
