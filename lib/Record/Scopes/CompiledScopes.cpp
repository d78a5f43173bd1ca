// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of PyTorch's compiled graphs.
//
// No frame of Python shows the modules inside of a compiled graph. Each line of
// the generated code computes certain layers, which the program reports: see
// wire::GeneratedLineRecord. A tensor that the line makes is in these layers,
// inside of all running scopes.

#include "Output/Recording.h"
#include "Scopes/ProcessScopes.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

/// The texts of the layers inside of the layer Chain, outermost first. Rows:
/// see wire::GeneratedLineRecord.
SmallVector<uint32_t, 8> ProcessScopes::layersInside(uint32_t Chain,
                                                     StringRef Rows) {
  SmallVector<uint32_t, 8> Layers;
  auto [Root, Paths] = Rows.split('\n');
  std::string Inside = Chain ? layerText(Chains[Chain].Text) : "";
  auto Add = [&](StringRef Name) {
    if (uint32_t Text = Name.empty() ? 0 : ownText(Name);
        Text && Layers.size() != DeepestChain)
      Layers.push_back(Text);
  };
  // The outermost module has the name of its class, and runs already if any
  // module runs.
  bool IsRoot = !Chain || Inside == Root || Chains[Chain].Depth == 1;
  if (!Chain)
    Add(Root);
  for (StringRef Path : split(Paths, '\n'))
    if (!Path.empty())
      Add(IsRoot ? Path.str() : (Inside + "." + Path).str());
  return Layers;
}

/// The name as known by now.
std::string ProcessScopes::layerText(uint32_t Text) {
  if (auto It = UnnamedLayers.find(Text);
      It != UnnamedLayers.end() && It->second.Text)
    Text = It->second.Text;
  return name(Text).Text;
}

/// The text of the layer \p Text inside of the layer Chain.
uint32_t ProcessScopes::innerLayer(uint32_t Chain, uint32_t Text) {
  // The outermost module has the name of its class.
  if (Chains[Chain].Depth <= 1)
    return Text;
  uint64_t Link = uint64_t(Chain) << 32 | Text;
  if (auto It = InnerLayers.find(Link); It != InnerLayers.end())
    return It->second;
  uint32_t Own = ownText(layerText(Chains[Chain].Text) + "." + name(Text).Text);
  if (InnerLayers.size() < MaxKept)
    InnerLayers[Link] = Own ? Own : Text;
  return Own ? Own : Text;
}

ProcessScopes::CompiledPlace ProcessScopes::compiledPlace(uint32_t Ring,
                                                          uint32_t Layers) {
  const RingScopes &Of = ring(Ring);
  std::pair<uint64_t, uint32_t> Key{uint64_t(Of.ScopePath) << 32 | Of.Chain,
                                    Layers};
  if (auto It = CompiledPlaces.find(Key); It != CompiledPlaces.end())
    return It->second;
  CompiledPlace P{Of.ScopePath, Chains[Of.Chain].Text};
  std::string Rows;
  Shared.text(Layers, Rows); // empty if invalid
  SmallVector<uint32_t, 8> Inside = layersInside(Of.Chain, Rows);
  if (!Inside.empty() && Of.In == TrainingPhase::None)
    P.ScopePath =
        R.ScopePaths.enter(P.ScopePath, ScopeKind::Phase, "forward", 0)
            .ScopePath;
  for (uint32_t Text : Inside)
    P = {enter(P.ScopePath, ScopeKind::Layer, Text), Text};
  if (CompiledPlaces.size() < MaxKept)
    CompiledPlaces[Key] = P;
  return P;
}
