// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tensors are for.

#include "Process/ProcessState.h"

using namespace llvm;
using namespace memkit;

/// A tensor lives, of which the sums know by now.
void ProcessState::noteAllocationTime(uint64_t Address, uint32_t Heap,
                                      uint32_t Node, uint32_t RingIndex) {
  TrainingPlace Place = Scopes.place(RingIndex);
  // Elsewhere it is the place that tells.
  MadeBy By =
      Place <= TrainingPlace::Forward ? Makers.of(Node) : MadeBy::Unknown;
  TensorCategories::Origin B = Scopes.categories().origin(Place, By);
  B.Event = R.Stats.events();
  B.Heap = Heap;
  B.Layer = Scopes.layer(RingIndex);
  Origins[Address] = B;
}

/// A module or an optimizer says that the tensor is its own.
void ProcessState::noteHeld(const wire::Record &Rec) {
  auto It = Origins.find(Rec.Address);
  if (It == Origins.end())
    return;
  TensorCategories::Origin &B = It->second;
  switch (wire::HeldBy(Rec.function())) {
  case wire::HeldBy::Module:
    B.By = MadeBy::Held;
    B.Layer = uint32_t(Rec.size());
    return;
  case wire::HeldBy::OptimizerGroup:
    B.By = MadeBy::Held;
    return;
  case wire::HeldBy::OptimizerState:
    B.By = MadeBy::HeldState;
    return;
  }
  bad();
}

/// It is freed by the ring's thread.
void ProcessState::noteDeath(uint64_t Address, uint64_t Size,
                             uint32_t RingIndex) {
  auto It = Origins.find(Address);
  if (It == Origins.end())
    return;
  const TensorCategories::Origin &B = It->second;
  TensorCategory Category =
      Scopes.categories().ofFreed(B, Scopes.place(RingIndex));
  R.Categories.add(Id, B.Heap, Category, Scopes.layerName(B.Layer), B.Event,
                   Size);
  Origins.erase(It);
}

void ProcessState::endTensors() {
  bool IsWorker = isDataWorker();
  for (const auto &[Address, B] : Origins) {
    LiveEntry E;
    if (Tensors.get(Address, &E))
      R.Categories.add(Id, B.Heap, Scopes.categories().ofLive(B, IsWorker),
                       Scopes.layerName(B.Layer), B.Event, E.Size);
  }
  Origins.clear();
}

/// Memory could not be had: what lives now is kept, by category, layer and
/// stack. A program may fail as often as it likes: it is looked at every tensor
/// only where there were enough events for it.
void ProcessState::noteOom(const Mark &Of) {
  Scopes.categories().fail(R.Stats.events());
  uint64_t Events = R.Stats.events(Id);
  if (Events < NextOomLook || !R.Ooms.hasRoom(Id))
    return R.Ooms.skip(Id);
  NextOomLook = Events + Origins.size() / 16;
  OomLog::Moment M;
  M.What.Process = Id;
  M.What.Heap = Of.Heap;
  M.What.Thread = Of.Thread;
  M.What.TimeNs = Of.TimeNs;
  M.What.Stack = Of.Stack;
  M.What.ScopePath = Of.ScopePath;
  M.What.Requested = Of.Values[0];
  for (uint32_t Heap = 1; R.Stats.hasHeap(Heap); ++Heap) {
    HeapStats T = R.Stats.heapStats(Heap);
    OomHeap H;
    H.Heap = Heap;
    H.LiveBlocks = R.Stats.heapLiveBlocks(Heap);
    H.LiveBytes = R.Stats.heapLiveBytes(Heap);
    // What the allocator says with its failure is the newest.
    bool Says = Heap == Of.Heap && Of.Values[2];
    H.ReservedKnown = T.ReservedKnown || Says;
    H.ReservedBytes = Says ? Of.Values[2] : T.ReservedBytes;
    if (H.LiveBlocks || H.ReservedBytes || Heap == Of.Heap)
      M.Heaps.push_back(H);
  }
  bool IsWorker = isDataWorker();
  DenseMap<std::pair<uint64_t, uint32_t>, size_t> Rows;
  for (const auto &[Address, B] : Origins) {
    LiveEntry E;
    if (B.Heap != Of.Heap || !Tensors.get(Address, &E))
      continue;
    CategoryStats T;
    T.Heap = B.Heap;
    T.Process = Id;
    T.Category = Scopes.categories().ofLive(B, IsWorker);
    T.Layer = Scopes.layerName(B.Layer);
    T.Stack = R.Stats.stackOf(E.Row);
    auto [It, New] = Rows.try_emplace(
        {uint64_t(T.Layer) << 8 | uint64_t(T.Category), T.Stack},
        M.Categories.size());
    if (New)
      M.Categories.push_back(T);
    M.Categories[It->second].Blocks += 1;
    M.Categories[It->second].Bytes += E.Size;
  }
  R.Ooms.add(std::move(M));
}
