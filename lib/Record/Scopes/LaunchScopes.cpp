// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators, layers, scopes and ranges that launch work of devices.

#include "Scopes/LaunchScopes.h"
#include "Output/Recording.h"

using namespace llvm;
using namespace memkit;

LaunchScopes::OwnerKind LaunchScopes::kindOf(const RunningScope &O) {
  if (O.Measured == ScopeMeasure::Layer)
    return LayerScopes::isBackward(O) ? OwnerKind::BackwardLayer
                                      : OwnerKind::Layer;
  return O.Measured == ScopeMeasure::Scope ? OwnerKind::Scope
                                           : OwnerKind::Range;
}

/// Whether Outer, or a scope around it, has the name. A program may nest scopes
/// without bound, but recursion of one scope is shallow.
bool LaunchScopes::isInside(uint32_t Outer, OwnerKind Kind,
                            uint32_t Key) const {
  constexpr unsigned MaxSearched = 64;
  const OperatorTable &Rows = Threads.operators().table();
  auto Is = [&](const OpenLink &L) {
    if (L.Kind != Kind)
      return false;
    return Kind == OwnerKind::Operator
               ? Rows.nameRow(L.Key) == Rows.nameRow(Key)
               : L.Key == Key;
  };
  for (unsigned I = 0; Outer && I != MaxSearched; ++I) {
    if (Is(Links[Outer]))
      return true;
    Outer = Links[Outer].Outer;
  }
  return false;
}

/// With too many links, the scopes outside stand for all.
uint32_t LaunchScopes::linkOf(uint32_t Outer, OwnerKind Kind, uint32_t Key) {
  std::pair<uint64_t, uint32_t> Id{uint64_t(Outer) << 32 | Key, uint32_t(Kind)};
  if (auto It = Ids.find(Id); It != Ids.end())
    return It->second;
  if (Links.size() == ScopeThreads::MaxKept)
    return Outer;
  Links.push_back({Outer, Key, Kind, !isInside(Outer, Kind, Key)});
  return Ids[Id] = uint32_t(Links.size() - 1);
}

uint32_t LaunchScopes::openScopes(uint32_t Ring) {
  uint32_t Link = 0;
  size_t NumOperators = 0;
  for (const RunningScope &O : Threads.ring(Ring).Opens) {
    // A node of autograd is an operator, and measured as a layer.
    if (O.Measured != ScopeMeasure::None)
      Link = linkOf(Link, kindOf(O), O.RangeText);
    if (O.IsOperator)
      Link = linkOf(Link, OwnerKind::Operator,
                    Threads.operators().table().openRow(Ring, NumOperators++));
  }
  return Link;
}

void LaunchScopes::add(uint32_t Scopes, uint64_t Ns) {
  bool HasOperator = false, HasLayer = false;
  auto SelfNs = [Ns](bool &HasInner) {
    return std::exchange(HasInner, true) ? 0 : Ns;
  };
  for (uint32_t I = Scopes; I; I = Links[I].Outer) {
    const OpenLink &L = Links[I];
    uint64_t TotalNs = L.IsOuter ? Ns : 0;
    ScopeTotals &Totals = Threads.totals();
    switch (L.Kind) {
    case OwnerKind::Operator:
      Threads.operators().table().addDevice(L.Key, TotalNs,
                                            SelfNs(HasOperator));
      break;
    case OwnerKind::Layer:
    case OwnerKind::BackwardLayer:
      Totals.addDevice(ScopeKind::Layer, Layers.layerName(L.Key),
                       L.Kind == OwnerKind::BackwardLayer,
                       {TotalNs, SelfNs(HasLayer)});
      break;
    case OwnerKind::Scope:
    case OwnerKind::Range:
      Totals.addDevice(L.Kind == OwnerKind::Scope ? ScopeKind::User
                                                  : ScopeKind::Range,
                       string(L.Key), /*Backward=*/false, {TotalNs, 0});
    }
  }
}
