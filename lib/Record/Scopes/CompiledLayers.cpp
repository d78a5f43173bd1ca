// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of compiled graphs.

#include "Scopes/CompiledLayers.h"
#include "Output/Recording.h"
#include "Shared/SharedProcess.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

/// The texts of the layers inside of the layer Chain, outermost first. Rows:
/// see wire::GeneratedLineRecord.
SmallVector<uint32_t, 8> CompiledLayers::layersInside(uint32_t Chain,
                                                      StringRef Rows) {
  SmallVector<uint32_t, 8> Texts;
  auto [Root, Paths] = Rows.split('\n');
  std::string Inside =
      Chain ? Layers.layerText(Layers.chain(Chain).Text) : std::string();
  auto Add = [&](StringRef Name) {
    if (uint32_t Text = Name.empty() ? 0 : Threads.names().own(Name);
        Text && Texts.size() != LayerScopes::DeepestChain)
      Texts.push_back(Text);
  };
  // The outermost module has the name of its class, and runs already if any
  // module runs.
  bool IsRoot = !Chain || Inside == Root || Layers.chain(Chain).Depth == 1;
  if (!Chain)
    Add(Root);
  for (StringRef Path : split(Paths, '\n'))
    if (!Path.empty())
      Add(IsRoot ? Path.str() : (Inside + "." + Path).str());
  return Texts;
}

uint32_t CompiledLayers::innerLayer(uint32_t Chain, uint32_t Text) {
  // The outermost module has the name of its class.
  if (Layers.chain(Chain).Depth <= 1)
    return Text;
  uint64_t Link = uint64_t(Chain) << 32 | Text;
  if (auto It = InnerLayers.find(Link); It != InnerLayers.end())
    return It->second;
  uint32_t Own =
      Threads.names().own(Layers.layerText(Layers.chain(Chain).Text) + "." +
                          Threads.name(Text).Text);
  if (InnerLayers.size() < ScopeThreads::MaxKept)
    InnerLayers[Link] = Own ? Own : Text;
  return Own ? Own : Text;
}

CompiledLayers::CompiledPlace CompiledLayers::place(uint32_t Ring,
                                                    uint32_t Rows) {
  ScopeContext Now = Threads.context(Ring);
  std::pair<uint64_t, uint32_t> Key{uint64_t(Now.ScopePath) << 32 | Now.Chain,
                                    Rows};
  if (auto It = Places.find(Key); It != Places.end())
    return It->second;
  CompiledPlace P{Now.ScopePath, Layers.chain(Now.Chain).Text};
  std::string Text;
  Threads.shared().text(Rows, Text); // empty if invalid
  SmallVector<uint32_t, 8> Inside = layersInside(Now.Chain, Text);
  if (!Inside.empty() && Now.In == TrainingPhase::None)
    P.ScopePath = Threads.recording()
                      .scopePaths()
                      .enter(P.ScopePath, ScopeKind::Phase, "forward", 0)
                      .ScopePath;
  for (uint32_t Layer : Inside)
    P = {Threads.enter(P.ScopePath, ScopeKind::Layer, Layer), Layer};
  if (Places.size() < ScopeThreads::MaxKept)
    Places[Key] = P;
  return P;
}
