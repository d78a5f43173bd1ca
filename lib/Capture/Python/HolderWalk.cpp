// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks from Python's names to all objects that the names hold.

#include "HolderWalk.h"

#include "Runtime/Syscall.h"

using namespace memkit;
using namespace memkit::capture;

/// The smallest table of nodes that is worth a walk, and the largest.
static constexpr uint32_t LeastNodes = 1u << 14, MostNodes = 1u << 24;

/// What remains for the package, the names and the walk's other tables.
static constexpr size_t RoomBytes = 16u << 20;

void HolderWalk::begin(const Exports &E) {
  if (!Sizes.begin(E) || !E.find("Py_DecRef", Drop) ||
      !E.find("Py_IncRef", Take))
    Take = nullptr;
}

static uint64_t nowNs() { return sys::clockNs(CLOCK_MONOTONIC); }

uint64_t HolderWalk::spentNs() const { return nowNs() - BeginNs; }

bool HolderWalk::start(uint32_t Ms, uint32_t Max, uintptr_t Types,
                       uint64_t Least) {
  if (!Take || Busy.exchange(true, std::memory_order_acquire))
    return false;
  MaxNodes = Max < LeastNodes ? LeastNodes : Max < MostNodes ? Max : MostNodes;
  void *Room = sys::reserve(RoomBytes);
  for (; Room && !Nodes && MaxNodes >= LeastNodes; MaxNodes /= 2)
    if ((Nodes = static_cast<HeldNode *>(
             sys::mapPrivate(MaxNodes * sizeof(HeldNode)))))
      break;
  if (Room)
    sys::unmap(Room, RoomBytes);
  if (!Nodes) {
    Busy.store(false, std::memory_order_release);
    return false;
  }
  Count = Next = 1;
  Current = Flag = RestFrom = Ticks = IndexBits = 0;
  Index = nullptr;
  Stopped = false;
  Sizes.start(Types);
  LeastBytes = Least;
  BeginNs = nowNs();
  EndNs = BeginNs + uint64_t(Ms) * 1000000;
  if (growIndex())
    return true;
  end();
  return false;
}

void HolderWalk::end() {
  HeldNode *Old = Nodes;
  uint32_t Last = Count;
  size_t Bytes = MaxNodes * sizeof(HeldNode);
  if (Index)
    sys::unmap(Index, sizeof(uint32_t) << IndexBits);
  Index = nullptr;
  Nodes = nullptr;
  // From here on another walk may begin.
  Busy.store(false, std::memory_order_release);
  for (uint32_t I = 1; Old && I != Last; ++I)
    Drop(Old[I].Object);
  if (Old)
    sys::unmap(Old, Bytes);
}

//===----------------------------------------------------------------------===//
// The objects seen
//===----------------------------------------------------------------------===//

static uint32_t slotOf(uintptr_t Object, uint32_t Bits) {
  return uint32_t((Object >> 4) * 0x9E3779B97F4A7C15ull >> (64 - Bits));
}

/// The node of an object, or 0 and the slot for the object.
uint32_t HolderWalk::find(uintptr_t Object, uint32_t &Slot) const {
  uint32_t Mask = (1u << IndexBits) - 1;
  for (Slot = slotOf(Object, IndexBits);; Slot = (Slot + 1) & Mask) {
    uint32_t Node = Index[Slot];
    if (!Node || Nodes[Node].Object == Object)
      return Node;
  }
}

/// Makes the index four times as large. False: no memory.
bool HolderWalk::growIndex() {
  uint32_t Bits = IndexBits ? IndexBits + 2 : 16;
  auto *New =
      static_cast<uint32_t *>(sys::mapPrivate(sizeof(uint32_t) << Bits));
  if (!New)
    return false;
  if (Index)
    sys::unmap(Index, sizeof(uint32_t) << IndexBits);
  Index = New;
  IndexBits = Bits;
  for (uint32_t I = 1; I != Count; ++I) {
    uint32_t Slot;
    find(Nodes[I].Object, Slot);
    Index[Slot] = I;
  }
  return true;
}

/// Reads the clock now and then: a list may have millions of items.
bool HolderWalk::isLate() {
  if (!Stopped && ++Ticks % 512 == 0 && nowNs() >= EndNs)
    Stopped = true;
  return Stopped;
}

uint32_t HolderWalk::add(uintptr_t Object, uint32_t Parent, uint32_t Flags) {
  if (!Nodes || !Object || Parent >= Count)
    return 0;
  const HeldType &T = Sizes.typeOf(Object);
  ObjectData D = Sizes.dataOf(Object, T);
  uint32_t Slot;
  if ((!T.Traverse && !T.Special && D.Bytes < LeastBytes) || find(Object, Slot))
    return 0;
  if (Count > (1u << IndexBits) / 2) {
    Stopped = !growIndex();
    find(Object, Slot);
  }
  if (Stopped || Count == MaxNodes) {
    Stopped = true;
    return 0;
  }
  Index[Slot] = Count;
  Take(Object);
  // Of a special object the package knows the data.
  Nodes[Count] = {
      Object, Parent, Flags | T.Special, D.Address, T.Special ? 0 : D.Bytes, 0,
      0,      0};
  return Count++;
}

int HolderWalk::visit(uintptr_t Child, void *Walk) {
  auto &W = *static_cast<HolderWalk *>(Walk);
  if (Child)
    W.add(Child, W.Current, W.Flag);
  return W.isLate();
}

bool HolderWalk::run() {
  while (Nodes && Next != Count && !isLate()) {
    Current = Next;
    uintptr_t Object = Nodes[Current].Object;
    const HeldType &T = Sizes.typeOf(Object);
    if (T.Traverse && (!T.IsTraced || T.IsTraced(Object)))
      T.Traverse(Object, visit, this);
    ++Next;
  }
  return Nodes && !Stopped;
}

//===----------------------------------------------------------------------===//
// Objects without a name
//===----------------------------------------------------------------------===//

/// Adds the objects of the list that have no node, with their references.
void HolderWalk::addRest(uintptr_t List) {
  uintptr_t Items = ObjectSizes::load(List + 24);
  for (uintptr_t I = 0, N = ObjectSizes::load(List + 16); I < N; ++I) {
    uintptr_t Object = ObjectSizes::load(Items + 8 * I);
    uint32_t Node = add(Object, 0, 0);
    if (isLate())
      return;
    if (!Node)
      continue;
    // Two references are the list's and this walk's. From 3.12 on immortal
    // objects have a large count.
    uint32_t References = *reinterpret_cast<const uint32_t *>(Object);
    Nodes[Node].Kids = References - 2;
  }
}

/// Drops a reference that an object of the rest holds.
int HolderWalk::visitRest(uintptr_t Child, void *Walk) {
  auto &W = *static_cast<HolderWalk *>(Walk);
  uint32_t Slot, Node = Child ? W.find(Child, Slot) : 0;
  if (Node >= W.RestFrom && W.Nodes[Node].Kids)
    --W.Nodes[Node].Kids;
  return W.isLate();
}

/// Subtracts the references that the objects of the rest hold of each other.
void HolderWalk::subtractInner(uint32_t From) {
  for (uint32_t I = From; I != Count && !isLate(); ++I) {
    uintptr_t Object = Nodes[I].Object;
    const HeldType &T = Sizes.typeOf(Object);
    if (T.Traverse && (!T.IsTraced || T.IsTraced(Object)))
      T.Traverse(Object, visitRest, this);
  }
}

bool HolderWalk::rest(uintptr_t List) {
  if (!run())
    return false;
  if (uint32_t Own = add(List, 0, HN_Outside))
    Nodes[Own].Bytes = 0;
  Next = RestFrom = Count;
  addRest(List);
  uint32_t Last = Count;
  subtractInner(RestFrom);
  // First the objects that something outside of the rest holds, with all that
  // these objects hold. The remaining objects are held by cycles alone.
  return !Stopped && follow(RestFrom, Last, HN_Outside) &&
         follow(RestFrom, Last, HN_Cycle);
}

/// Marks what objects of the rest with references left (HN_Cycle: all without a
/// mark) hold. Objects of the rest have their nodes already, so their paths
/// begin at themselves or at the object that reached them first.
bool HolderWalk::follow(uint32_t First, uint32_t Last, uint32_t Mark) {
  constexpr uint32_t Marked = HN_Outside | HN_Cycle;
  struct Frontier {
    HolderWalk &W;
    uint32_t First, Last, Mark;
    uint32_t *Queue;
    uint32_t Head = 0, Tail = 0;
    static int see(uintptr_t Child, void *Arg) {
      auto &F = *static_cast<Frontier *>(Arg);
      uint32_t Slot, Node = Child ? F.W.find(Child, Slot) : 0;
      if (Child && !Node)
        Node = F.W.add(Child, F.W.Current, F.Mark);
      else if (Node < F.First || Node >= F.Last ||
               F.W.Nodes[Node].Flags & Marked)
        return F.W.isLate();
      else {
        F.W.Nodes[Node].Flags |= F.Mark;
        F.W.Nodes[Node].Parent = F.W.Current;
      }
      if (Node)
        F.Queue[F.Tail++] = Node;
      return F.W.isLate();
    }
  };
  size_t Bytes = MaxNodes * sizeof(uint32_t);
  auto *Queue = static_cast<uint32_t *>(sys::mapPrivate(Bytes));
  if (!Queue)
    return !(Stopped = true);
  Frontier F{*this, First, Last, Mark, Queue};
  for (uint32_t I = First; I != Last && !Stopped; ++I) {
    if (Nodes[I].Flags & Marked || (Mark == HN_Outside && !Nodes[I].Kids))
      continue;
    Nodes[I].Flags |= Mark;
    Nodes[I].Parent = 0;
    Queue[F.Tail++] = I;
    while (F.Head != F.Tail && !isLate()) {
      Current = Queue[F.Head++];
      uintptr_t Object = Nodes[Current].Object;
      const HeldType &T = Sizes.typeOf(Object);
      if (T.Traverse && (!T.IsTraced || T.IsTraced(Object)))
        T.Traverse(Object, Frontier::see, &F);
    }
  }
  sys::unmap(Queue, Bytes);
  Next = Count;
  return !Stopped;
}

//===----------------------------------------------------------------------===//
// Selecting
//===----------------------------------------------------------------------===//

uint32_t HolderWalk::nextSpecial(uint32_t Node) const {
  while (Nodes && ++Node < Count)
    if (Nodes[Node].Flags & HN_Special)
      return Node;
  return 0;
}

/// The bytes that the smallest of the Most largest nodes has. A histogram by
/// eighths of powers of two is exact enough.
static uint64_t boundOfLargest(const HeldNode *Nodes, uint32_t Count,
                               uint32_t Most) {
  uint32_t Histogram[64 * 8] = {};
  auto Class = [](uint64_t Bytes) {
    unsigned Log = 63 - unsigned(__builtin_clzll(Bytes | 8));
    return Log * 8 + unsigned(Bytes >> (Log - 3) & 7);
  };
  for (uint32_t I = 1; I != Count; ++I)
    ++Histogram[Class(Nodes[I].Bytes)];
  unsigned C = 64 * 8 - 1;
  for (uint32_t Sum = 0; C > 32; --C)
    if ((Sum += Histogram[C]) > Most)
      break;
  return (uint64_t(1) << C / 8) + (uint64_t(C % 8 + 1) << (C / 8 - 3));
}

static bool isPowerOfTwo(uint32_t N) { return (N & (N - 1)) == 0; }

uint32_t HolderWalk::select(uint32_t *To, uint32_t Room) {
  if (!Nodes)
    return 0;
  for (uint32_t I = 0; I != Count; ++I) {
    Nodes[I].Total = Nodes[I].Bytes;
    Nodes[I].Kids = 0;
  }
  // The parent of a node of rest() may come after the node; its total is then
  // too small, and other examples are selected.
  for (uint32_t I = Count; --I;)
    Nodes[Nodes[I].Parent].Total += Nodes[I].Total;
  uint64_t Much = Nodes[0].Total / 256;
  uint64_t Bound = boundOfLargest(Nodes, Count, Room / 4);
  uint32_t N = 0;
  for (uint32_t I = 1; I != Count && N != Room; ++I) {
    HeldNode &Is = Nodes[I], &Parent = Nodes[Is.Parent];
    // Of many children the first, second, fourth, eighth ... are examples.
    bool IsExample = Is.Parent && Parent.Flags & (HN_Large | HN_Example) &&
                     isPowerOfTwo(++Parent.Kids);
    if (Is.Total >= Much)
      Is.Flags |= HN_Large;
    if (IsExample)
      Is.Flags |= HN_Example;
    if (Is.Bytes >= LeastBytes && (IsExample || Is.Bytes >= Bound))
      To[N++] = I;
  }
  return N;
}
