// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layers of findings.

#include "LeakLayers.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

bool LeakLayers::areIn(const Trace &T) {
  return any_of(T.scopes(), [](const ScopeRecord &S) {
    return S.Kind == ScopeKind::Layer;
  });
}

LeakLayers::LeakLayers(const Trace &T, MutableArrayRef<LeakFinding> All)
    : T(T), All(All), LayerOf(T.scopePaths().size() + 1), Index(T, All),
      Seen(All.size(), NoBlock), Bytes(All.size()) {
  // Finds the innermost layer; a scope path's parent has a lower id.
  for (uint32_t Id = 1; Id <= T.scopePaths().size(); ++Id) {
    const ScopePath &C = T.scopePaths()[Id - 1];
    LayerOf[Id] = LayerOf[C.Parent];
    if (C.Scope && T.scopes()[C.Scope - 1].Kind == ScopeKind::Layer)
      LayerOf[Id] = T.scopes()[C.Scope - 1].Name;
  }
}

void LeakLayers::addTo(uint32_t Place, uint32_t Layer, uint64_t Size) {
  if (All[Place].Kind == FK_Growth && Layer)
    Bytes[Place][Layer] += Size;
  uint32_t &S = Seen[Place];
  S = S == NoBlock || S == Layer ? Layer : Several;
}

void LeakLayers::add(const LiveBlock &B) {
  Index.forEachOf(B.Heap, B.Stack, [&](uint32_t Place) {
    addTo(Place, LayerOf[B.ScopePath], B.Size);
  });
}

void LeakLayers::finish() {
  for (size_t I = 0; I != All.size(); ++I)
    if (Seen[I] != NoBlock && Seen[I] != Several)
      All[I].Layer = Seen[I];
  for (size_t I = 0; I != All.size(); ++I)
    All[I].Layers.assign(Bytes[I].begin(), Bytes[I].end());
}

} // namespace memkit
