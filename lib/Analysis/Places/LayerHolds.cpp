// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes that each layer holds at a peak.

#include "memkit/Analysis/LayerHolds.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

namespace {
/// The innermost layer of a scope path, by its name, and its direction.
struct LayerOfScopePath {
  uint32_t Name = 0; ///< a string id; 0: in no layer
  bool Backward = false;
};
} // namespace

static std::vector<LayerOfScopePath> layersOf(const Trace &T) {
  std::vector<LayerOfScopePath> Of(T.scopePaths().size() + 1);
  // A parent's id is lower.
  for (uint32_t Id = 1; Id < Of.size(); ++Id) {
    const ScopePath &C = T.scopePaths()[Id - 1];
    const ScopeRecord &Entered = T.scopes()[C.Scope - 1];
    Of[Id] = Of[C.Parent];
    if (Entered.Kind == ScopeKind::Phase)
      Of[Id].Backward = T.string(Entered.Name) == "backward";
    else if (Entered.Kind == ScopeKind::Layer)
      Of[Id].Name = Entered.Name;
  }
  return Of;
}

namespace {
/// By memory space, then layer.
using HeldBytes = std::vector<std::map<std::pair<uint32_t, bool>, uint64_t>>;
} // namespace

static HeldBytes sumHeld(const SelectedStats &S) {
  const Trace &T = S.trace();
  bool Outer = S.selection().isOuterView();
  HeldBytes Held(T.devices().size() + 1);
  std::vector<LayerOfScopePath> Layers = layersOf(T);
  for (const PackedRows &Rows : T.scopeRows()) {
    if (!S.selection().hasProcess(Rows.process()))
      continue;
    for (size_t I = 0; I != Rows.size(); ++I) {
      StackStats R = Rows[I];
      LayerOfScopePath L = Layers[R.Key];
      if (!L.Name || (Outer && !S.selection().hasHeap(R.Heap)))
        continue;
      if (uint64_t Bytes = Outer ? R.HeapPeakBytes : R.SpacePeakBytes)
        Held[T.heap(R.Heap).Space][{L.Name, L.Backward}] += Bytes;
    }
  }
  return Held;
}

LayerHolds orderByHeld(const SelectedStats &S,
                       std::vector<LayerStats> &Layers) {
  LayerHolds Out;
  HeldBytes Held = sumHeld(S);
  uint64_t Max = 0;
  for (uint32_t D = 0; D != Held.size(); ++D) {
    uint64_t Sum = 0;
    for (const auto &Entry : Held[D])
      Sum += Entry.second;
    if (Sum > Max)
      Max = Sum, Out.Space = D;
  }
  if (!Max)
    return Out;
  std::vector<std::pair<uint64_t, LayerStats>> Order;
  for (const LayerStats &L : Layers) {
    auto At = Held[Out.Space].find({L.Name, L.Backward});
    Order.push_back({At == Held[Out.Space].end() ? 0 : At->second, L});
  }
  stable_sort(Order,
              [](const auto &A, const auto &B) { return A.first > B.first; });
  Layers.clear();
  for (const auto &[Bytes, L] : Order) {
    Out.Bytes.push_back(Bytes);
    Layers.push_back(L);
  }
  return Out;
}

} // namespace memkit
