// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ids of a trace that is being written.

#include "Catalog.h"
#include "llvm/ADT/SmallString.h"
#include <utility>

using namespace llvm;
using namespace memkit;

bool Catalog::hasPending() const {
  const Dictionary &D = Names.Pending;
  return !(D.Strings.empty() && D.Binaries.empty() && D.Functions.empty() &&
           D.Frames.empty() && D.Stacks.empty() && D.Processes.empty() &&
           D.Threads.empty() && D.Heaps.empty() && D.Loads.empty() &&
           D.Symbols.empty() && D.SourceLines.empty() && D.Devices.empty() &&
           D.Scopes.empty() && D.ScopePaths.empty());
}

uint32_t Catalog::binary(StringRef Path, ArrayRef<uint8_t> BuildId) {
  SmallString<256> Key(Path);
  Key.push_back(0);
  Key.append(BuildId.begin(), BuildId.end());
  auto [It, New] = Binaries.try_emplace(Key, NumBinaries + 1);
  if (New) {
    ++NumBinaries;
    pending().Binaries.push_back({Names.string(Path), BuildId.vec()});
  }
  return It->second;
}

std::pair<uint32_t, bool> Catalog::frameOf(uint64_t Container,
                                           uint64_t Address) {
  uint64_t Hash = (Container ^ Address) * 0x9E3779B97F4A7C15ull;
  auto [It, New] = Frames[Hash >> (64 - FramePartBits)].try_emplace(
      {Container, Address}, NumFrames + 1);
  NumFrames += New;
  return {It->second, New};
}

uint32_t Catalog::frame(const Frame &F) {
  // The kind lies above the 32 bits of the container, so no key is one of
  // DenseMap's special keys.
  auto [Id, New] = frameOf(uint64_t(F.Kind) << 32 | F.Container, F.Address);
  if (!New)
    return Id;
  pending().Frames.push_back(F);
  if (F.Kind == FrameKind::Native && OnNativeFrame)
    OnNativeFrame(NumFrames, F.Container, F.Address);
  return NumFrames;
}

uint32_t Catalog::unownedFrame(uint32_t Process, uint64_t Address) {
  // Process takes the place of the container.
  auto [Id, New] =
      frameOf(uint64_t(FrameKind::Unknown) << 32 | Process, Address);
  if (!New)
    return Id;
  pending().Frames.push_back({FrameKind::Unknown, 0, Address});
  if (OnUnownedFrame)
    OnUnownedFrame(NumFrames, Process, Address);
  return NumFrames;
}

uint32_t Catalog::namedFrame(StringRef Name) {
  Function F;
  F.Name = Names.string(Name);
  return frame({FrameKind::Named, Names.function(F), 0});
}

uint32_t Catalog::addProcess(const ProcessRecord &I) {
  pending().Processes.push_back(I);
  return ++NumProcesses;
}

uint32_t Catalog::addThread(const Thread &T) {
  pending().Threads.push_back(T);
  return ++NumThreads;
}

uint32_t Catalog::addDevice(const Device &D) {
  pending().Devices.push_back(D);
  return ++NumDevices;
}

uint32_t Catalog::addHeap(const Heap &H) {
  pending().Heaps.push_back(H);
  return ++NumHeaps;
}

/// The child of Parent with Frame, or 0.
uint32_t Catalog::findNode(uint32_t Parent, uint32_t Frame) {
  // Most nodes have one child, the next node of their chain.
  if (!Tree.ends(Parent) && NodeFrames.at(Parent + 1) == Frame)
    return Parent + 1;
  if (!Parent)
    return findBranch(Parent, Frame);
  uint32_t Chain = Tree.chainOf(Parent);
  uint32_t Next = Chains.at(Chain).Branch;
  if (Next == Wide)
    return findBranch(Parent, Frame);
  unsigned Seen = 0;
  for (; Next; ++Seen) {
    const CatalogChain &C = Chains.at(Next - 1);
    if (NodeFrames.at(C.First) == Frame && Tree.parent(C.First) == Parent)
      return C.First;
    Next = C.Next;
  }
  if (Seen == MaxListed)
    widen(Chain);
  return 0;
}

/// The child of Parent, of a wide chain or the root, or 0.
uint32_t Catalog::findBranch(uint32_t Parent, uint32_t Frame) const {
  uint64_t Hash = hashNode(Parent, Frame);
  const NodeShard &S = Shards[Hash >> (64 - ShardBits)];
  if (S.Slots.empty())
    return 0;
  size_t Mask = S.Slots.size() - 1;
  uint32_t Tag = uint32_t(Hash);
  for (size_t I = Tag & Mask; S.Slots[I].Id; I = (I + 1) & Mask) {
    uint32_t Id = S.Slots[I].Id;
    if (S.Slots[I].Tag == Tag && NodeFrames.at(Id) == Frame &&
        Tree.parent(Id) == Parent)
      return Id;
  }
  return 0;
}

void Catalog::place(std::vector<NodeSlot> &Slots, NodeSlot New) {
  size_t Mask = Slots.size() - 1;
  size_t I = New.Tag & Mask;
  while (Slots[I].Id)
    I = (I + 1) & Mask;
  Slots[I] = New;
}

/// Adds a branch to its shard.
void Catalog::index(uint32_t Id, uint32_t Parent) {
  uint64_t Hash = hashNode(Parent, NodeFrames.at(Id));
  NodeShard &S = Shards[Hash >> (64 - ShardBits)];
  if (S.Count * 4 >= S.Slots.size() * 3) {
    std::vector<NodeSlot> New(std::max<size_t>(S.Slots.size() * 2, 16));
    for (const NodeSlot &Old : S.Slots)
      if (Old.Id)
        place(New, Old);
    S.Slots = std::move(New);
  }
  place(S.Slots, {Id, uint32_t(Hash)});
  ++S.Count;
}

/// Moves the branches of Chain from their list to the shards.
void Catalog::widen(uint32_t Chain) {
  for (uint32_t Next = std::exchange(Chains.get(Chain).Branch, Wide); Next;) {
    const CatalogChain &C = Chains.at(Next - 1);
    index(C.First, Tree.parent(C.First));
    Next = C.Next;
  }
}

/// Adds a chain under Parent after findNode() has not found its first frame;
/// returns its first node.
uint32_t Catalog::addNodes(uint32_t Parent, ArrayRef<uint32_t> Path) {
  uint32_t First = Tree.numNodes() + 1;
  Tree.append(Parent, uint32_t(Path.size()));
  for (size_t I = 0; I != Path.size(); ++I) {
    NodeFrames.get(First + I) = Path[I];
    pending().NodeFrames.push_back(Path[I]);
  }
  uint32_t Number = Tree.numChains(), Next = 0;
  uint32_t *Branch =
      Parent ? &Chains.get(Tree.chainOf(Parent)).Branch : nullptr;
  if (Branch && *Branch != Wide)
    Next = std::exchange(*Branch, Number);
  else
    index(First, Parent);
  Chains.get(Number - 1) = {First, 0, Next, 0};
  return First;
}

/// The place of the stack that ends at Node.
uint32_t &Catalog::stackAt(uint32_t Node) {
  return Tree.ends(Node) ? Chains.get(Tree.chainOf(Node)).Stack
                         : InnerStacks[Node];
}

Catalog::FramePath Catalog::stack(uint32_t Parent, ArrayRef<uint32_t> Frames,
                                  function_ref<void(size_t, uint32_t)> OnNode) {
  uint32_t Node = Parent;
  size_t I = 0;
  for (; I != Frames.size(); ++I) {
    uint32_t Next = findNode(Node, Frames[I]);
    if (!Next)
      break;
    Node = Next;
    OnNode(I, Node);
  }
  NewStack New;
  New.Parent = Node;
  New.Length = uint32_t(Frames.size() - I);
  if (New.Length) {
    uint32_t First = addNodes(Node, Frames.drop_front(I));
    for (Node = First; I != Frames.size(); ++I, ++Node)
      OnNode(I, Node);
    --Node;
  }
  if (!Node)
    return {0, 0};
  uint32_t &Stack = stackAt(Node);
  if (!Stack) {
    Stack = ++NumStacks;
    pending().Stacks.push_back(New);
  }
  return {Node, Stack};
}
