// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which block holds which, in a program that runs.

#ifndef MEMKIT_LIB_RECORD_CENSUS_BLOCKGRAPH_H
#define MEMKIT_LIB_RECORD_CENSUS_BLOCKGRAPH_H

#include "Record/Census/ArenaWalk.h"
#include "Record/Census/BlockKinds.h"
#include "llvm/ADT/STLExtras.h"

namespace memkit {

/// Finds for each block the shortest way of pointers from a place outside of
/// all blocks: a name of a module of Python, a global variable, a stack. The
/// way gives the block a node in a tree of names: `__main__.cache`, `list`,
/// `Session`, `dict`.
///
/// A word that looks like an address of a block counts as a pointer. One to the
/// middle of a large block counts only if none leads to its begin: it is often
/// left over, or no address at all. Belongs to one thread.
class BlockGraph {
public:
  /// HasPython: there may be objects of Python among the blocks.
  BlockGraph(const TargetMemory &Memory, BlockKinds &Kinds, bool HasPython)
      : Memory(Memory), Kinds(Kinds), HasPython(HasPython) {
    newNode(0, "");
  }

  struct GraphBlock {
    uint64_t Address = 0, Bytes = 0;
    BlockKinds::BlockKind Is;
    uint8_t Owner = MallocOwner; ///< BlockOwner
    uint32_t Node = 0;           ///< of the tree; 0: no way leads to it
    uint32_t Inner =
        0; ///< the node of the first pointer to its middle; 0: none
  };
  /// Takes blocks in any order, before all else; then names what they hold.
  void setBlocks(std::vector<FoundBlock> Found);
  const std::vector<GraphBlock> &blocks() const { return Blocks; }
  /// Says better what blocks hold, before names are given out.
  void changeKinds(
      llvm::function_ref<BlockKinds::BlockKind(const GraphBlock &)> Of) {
    for (GraphBlock &B : Blocks)
      B.Is = Of(B);
  }
  /// The block with the address; null: none.
  const GraphBlock *find(uint64_t Address) const;

  struct HolderName {
    uint32_t Parent = 0; ///< 0: a root
    std::string Name;
    std::string File; ///< of a variable: of its module, or its binary
  };
  /// Node 0 is no node.
  const std::vector<HolderName> &tree() const { return Tree; }
  /// The name of the kind that a node stands for; 0: a root.
  uint32_t kindOf(uint32_t Node) const { return KindOfNode[Node]; }

  /// The program holds the block of a pointer by a variable of this name in a
  /// module or a binary; Name without File: by something else. Names that come
  /// first count.
  void addRoot(uint64_t Pointer, llvm::StringRef Name, llvm::StringRef File);
  /// Follows pointers to the begins of blocks from the roots on.
  void follow();
  /// Then also those to their middles.
  void followAll();
  /// Leaves blocks out, after all else.
  void dropIf(llvm::function_ref<bool(const GraphBlock &)> Is) {
    llvm::erase_if(Blocks, Is);
  }

private:
  static constexpr size_t MaxNodes = 1 << 22;
  static constexpr unsigned MaxDepth = 12;
  uint32_t indexOf(uint64_t Pointer) const;
  uint32_t inLarge(uint64_t Pointer) const;
  static bool isBegin(const GraphBlock &B, uint64_t Pointer) {
    constexpr uint64_t Small = 4096, Near = 64;
    if (B.Is.Of == BlockKinds::Python)
      return Pointer == B.Address + B.Is.Offset;
    return B.Bytes <= Small || Pointer - B.Address <= Near;
  }
  bool followInner();
  uint32_t newNode(uint32_t Parent, llvm::StringRef Name);
  uint32_t rootOf(llvm::StringRef Name, llvm::StringRef File);
  uint32_t nodeBelow(uint32_t Parent, const GraphBlock &B);
  uint64_t neighboursOf(size_t First) const;
  void readFirst();
  void scanLarge(const GraphBlock &B);
  void scanWhole(const GraphBlock &B);
  bool followSkipped();
  void scanStart(llvm::ArrayRef<uint8_t> Bytes, const GraphBlock &B);
  bool isPlain(const GraphBlock &B) const;
  void scanWords(llvm::ArrayRef<uint8_t> Bytes, const GraphBlock &From);
  bool mayPoint(const GraphBlock &B);

  const TargetMemory &Memory;
  BlockKinds &Kinds;
  bool HasPython;
  std::vector<GraphBlock> Blocks; ///< by address
  std::vector<uint64_t> Starts;
  uint64_t EndOfAll = 0;
  std::vector<uint32_t> Large; ///< blocks of at least LargeBytes
  static constexpr uint64_t LargeBytes = 1 << 20;
  /// Of each piece of memory with blocks: the first, and the one after the
  /// last; of large blocks the first LargeBytes alone.
  static constexpr uint64_t GranuleBytes = 4096;
  llvm::DenseMap<uint64_t, std::pair<uint32_t, uint32_t>> Granules;
  std::vector<uint8_t> Buffer;
  std::vector<HolderName> Tree;
  std::vector<uint32_t> KindOfNode; ///< by node: name of a kind; 0: a root
  llvm::StringMap<uint32_t> Roots;  ///< by file and name
  llvm::DenseMap<uint64_t, uint32_t> Below; ///< by parent and name of the kind
  std::vector<uint32_t> Skipped; ///< large blocks that were not looked into
  std::vector<uint32_t> Waiting; ///< blocks to look into, first come first
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_BLOCKGRAPH_H
