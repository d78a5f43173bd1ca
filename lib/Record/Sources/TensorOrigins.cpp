// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The purpose of tensors, and the live tensors at an out-of-memory event.

#include "Sources/TensorOrigins.h"
#include "Scopes/ProcessScopes.h"
#include "Sources/EventSink.h"
#include "Wire/Dtypes.h"
#include <map>
#include <tuple>
#include <utility>

using namespace llvm;
using namespace memkit;

TensorOrigins::TensorOrigins(EventSink &Sink, ProcessScopes &Scopes,
                             const LiveTable &Live)
    : Sink(Sink), Scopes(Scopes), Live(Live), Makers(Sink.shared()) {}

void TensorOrigins::made(uint64_t Address, uint64_t Id, uint32_t Heap,
                         uint32_t Node, uint32_t Ring, uint32_t Layer) {
  Scopes.torch().beginTensor(Address);
  TrainingPlace Place = Scopes.place(Ring);
  // In later places the place alone decides the category.
  MadeBy By =
      Place <= TrainingPlace::Forward ? Makers.of(Node) : MadeBy::Unknown;
  TensorCategories::Origin B = Scopes.categories().origin(Place, By);
  B.Event = Sink.stats().events();
  B.Heap = Heap;
  B.Layer = Layer;
  Origins[Address] = {B, Id, std::nullopt, 0, 0};
  Recent.push_back(Address);
  if (Recent.size() >= MaxRecent)
    addLive();
}

void TensorOrigins::note(LiveTensor &T, TensorCategory Is) {
  if (T.Noted != Is || T.NotedDtype != T.Dtype)
    Sink.noteCategory(T.Id, Is, T.Dtype);
  T.Noted = Is;
  T.NotedDtype = T.Dtype;
}

void TensorOrigins::typed(const wire::TensorDtypeRecord &Rec) {
  auto It = Origins.find(Rec.Address);
  const char *Name =
      Rec.Dtype <= UINT16_MAX ? wire::dtypeName(uint32_t(Rec.Dtype)) : nullptr;
  if (It == Origins.end() || !Name)
    return;
  auto [Known, IsNew] = Dtypes.try_emplace(uint32_t(Rec.Dtype), 0);
  if (IsNew)
    Known->second = Sink.string(Name);
  It->second.Dtype = Known->second;
  // addLive() may have added the tensor without its dtype.
  if (It->second.Noted)
    Recent.push_back(Rec.Address);
}

void TensorOrigins::addLive() {
  bool IsWorker = Sink.stacks().isDataWorker();
  for (uint64_t Address : std::exchange(Recent, {}))
    if (auto It = Origins.find(Address); It != Origins.end())
      note(It->second, Scopes.categories().ofLive(It->second.B, IsWorker));
}

void TensorOrigins::held(const wire::TensorHeldRecord &Rec) {
  auto It = Origins.find(Rec.Address);
  if (It == Origins.end())
    return;
  TensorCategories::Origin &B = It->second.B;
  switch (Rec.By) {
  case wire::HeldBy::Module:
    B.By = MadeBy::Held;
    B.Layer = uint32_t(Rec.Layer);
    return;
  case wire::HeldBy::OptimizerGroup:
    B.By = MadeBy::Held;
    return;
  case wire::HeldBy::OptimizerState:
    B.By = MadeBy::HeldState;
    return;
  }
  Sink.bad();
}

void TensorOrigins::freed(uint64_t Address, uint64_t Bytes, uint32_t Ring) {
  auto It = Origins.find(Address);
  if (It == Origins.end())
    return;
  const TensorCategories::Origin &B = It->second.B;
  TensorCategory Category = Scopes.categories().ofFreed(B, Scopes.place(Ring));
  note(It->second, Category);
  Sink.categories().add(Sink.process(), B.Heap, Category,
                        Scopes.layers().layerName(B.Layer), B.Event, Bytes);
  Origins.erase(It);
}

void TensorOrigins::finish() {
  bool IsWorker = Sink.stacks().isDataWorker();
  for (auto &[Address, T] : Origins) {
    LiveEntry E;
    if (!Live.get(Address, &E))
      continue;
    TensorCategory Category = Scopes.categories().ofLive(T.B, IsWorker);
    note(T, Category);
    Sink.categories().add(Sink.process(), T.B.Heap, Category,
                          Scopes.layers().layerName(T.B.Layer), T.B.Event,
                          E.Size);
  }
  Origins.clear();
  Recent.clear();
}

void TensorOrigins::addTo(CategoryTable &To) {
  bool IsWorker = Sink.stacks().isDataWorker();
  for (auto &[Address, T] : Origins) {
    LiveEntry E;
    if (Live.get(Address, &E))
      To.add(Sink.process(), T.B.Heap,
             Scopes.categories().ofLive(T.B, IsWorker),
             Scopes.layers().layerName(T.B.Layer), T.B.Event, E.Size);
  }
}

void TensorOrigins::listAt(OomLog::OomTimePoint &M) {
  LiveStats &Stats = Sink.stats();
  Scopes.categories().fail(Stats.events());
  bool IsWorker = Sink.stacks().isDataWorker();
  std::map<std::tuple<uint32_t, uint32_t, uint8_t, uint32_t>, size_t> Rows;
  for (const auto &[Address, Tensor] : Origins) {
    const TensorCategories::Origin &B = Tensor.B;
    LiveEntry E;
    if (!Stats.areOfOneSpace(B.Heap, M.What.Heap) || !Live.get(Address, &E))
      continue;
    CategoryStats T;
    T.Heap = B.Heap;
    T.Process = M.What.Process;
    T.Category = Scopes.categories().ofLive(B, IsWorker);
    T.Layer = Scopes.layers().layerName(B.Layer);
    T.Stack = Stats.stackOf(E.Row);
    auto [It, New] = Rows.try_emplace(
        {T.Heap, T.Layer, uint8_t(T.Category), T.Stack}, M.Categories.size());
    if (New)
      M.Categories.push_back(T);
    M.Categories[It->second].Blocks += 1;
    M.Categories[It->second].Bytes += E.Size;
  }
}
