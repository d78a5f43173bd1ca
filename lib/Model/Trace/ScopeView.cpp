// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shown scope tree.

#include "memkit/Model/ScopeView.h"
#include "llvm/ADT/DenseMap.h"

using namespace llvm;

namespace memkit {

StringRef scopeKindName(ScopeKind K) {
  static constexpr StringLiteral Names[] = {"layer", "operator", "range",
                                            "scope", "phase",    "line"};
  static_assert(std::size(Names) == NumScopeKinds);
  return Names[static_cast<size_t>(K)];
}

/// The name for scope paths of which the grouping shows no scope.
static StringRef noneName(GroupBy By) {
  switch (By) {
  default:
    break;
  case GroupBy::Layer:
    return "(no layer)";
  case GroupBy::Operator:
    return "(no operator)";
  case GroupBy::Scope:
    return "(no scope)";
  case GroupBy::ScopePath:
    return "(no scope path)";
  }
  llvm_unreachable("stacks are no scope paths");
}

/// The length of the common prefix of paths A and B, in whole parts: for
/// `a.b.c` and `a.bc` the length of `a`.
static size_t commonPath(StringRef A, StringRef B) {
  size_t Same = 0, Max = std::min(A.size(), B.size());
  while (Same != Max && A[Same] == B[Same])
    ++Same;
  auto EndsPart = [&](StringRef S) {
    return Same == S.size() || S[Same] == '.';
  };
  if (EndsPart(A) && EndsPart(B))
    return Same;
  size_t Dot = B.take_front(Same).rfind('.');
  return Dot == StringRef::npos ? 0 : Dot;
}

namespace {

class Grouper {
public:
  Grouper(const Trace &T, GroupBy By)
      : T(T), By(By), Places(T.scopePaths().size() + 1) {}

  ScopeView run() {
    // A parent's id is lower.
    for (uint32_t Id = 1; Id < Places.size(); ++Id)
      Places[Id] = place(T.scopePaths()[Id - 1]);
    uint32_t None = add(0, frame(noneName(By), ""));
    Out.Tree.Leaves.resize(Places.size());
    for (uint32_t Id = 0; Id < Places.size(); ++Id)
      Out.Tree.Leaves[Id] = Places[Id].Node ? Places[Id].Node : None;
    return std::move(Out);
  }

private:
  /// The node of a scope path; 0: the grouping shows none of its scopes.
  struct ScopeNode {
    uint32_t Node = 0;
    uint32_t Phase = 0;      ///< the node of the phases, without layers
    StringRef Layer;         ///< the innermost layer in the phase
    bool InOperator = false; ///< its own scope is an operator
  };

  uint32_t frame(StringRef Name, StringRef Kind) {
    auto [At, New] = FrameIds.try_emplace(
        {Name, Kind}, static_cast<uint32_t>(Out.Frames.size() + 1));
    if (New) {
      ShownFrame &F = Out.Frames.emplace_back();
      F.Function = F.Label = Name.empty() ? "(no name)" : Name;
      F.File = Kind;
    }
    return At->second;
  }

  uint32_t add(uint32_t Parent, uint32_t Frame) {
    auto [At, New] = Nodes.try_emplace({Parent, Frame}, 0);
    if (New) {
      Out.Tree.Parents.push_back(Parent);
      Out.Tree.Frames.push_back(Frame);
      At->second = Out.Tree.numNodes();
    }
    return At->second;
  }

  ScopeNode place(const ScopePath &C) {
    const ScopeRecord &S = T.scopes()[C.Scope - 1];
    StringRef Name = T.string(S.Name);
    ScopeNode P = Places[C.Parent];
    switch (By) {
    default:
      break;
    case GroupBy::ScopePath:
      P.Node = add(P.Node, frame(Name, scopeKindName(S.Kind)));
      return P;
    case GroupBy::Scope:
      if (S.Kind == ScopeKind::Range || S.Kind == ScopeKind::User)
        P.Node = add(P.Node, frame(Name, scopeKindName(S.Kind)));
      return P;
    case GroupBy::Operator: {
      bool Nested = std::exchange(P.InOperator, S.Kind == ScopeKind::Operator);
      if (P.InOperator)
        P.Node = add(Nested ? P.Node : 0, frame(Name, scopeKindName(S.Kind)));
      return P;
    }
    case GroupBy::Layer:
      if (S.Kind == ScopeKind::Phase)
        enterPhase(P, Name);
      else if (S.Kind == ScopeKind::Layer)
        enterLayer(P, Name);
      return P;
    }
    llvm_unreachable("stacks are no scope paths");
  }

  /// Enters a phase, which restarts the layers: the phase does not run the
  /// layers in which it began.
  void enterPhase(ScopeNode &P, StringRef Name) {
    P.Node = P.Phase =
        add(P.Phase, frame(Name, scopeKindName(ScopeKind::Phase)));
    P.Layer = "";
  }

  /// Adds the layer and the parts of its path below the enclosing layer.
  void enterLayer(ScopeNode &P, StringRef Name) {
    // A bound, since any program may choose the names.
    const unsigned MaxParts = 64;
    if (!P.Node)
      P.Node = add(0, frame("forward", scopeKindName(ScopeKind::Phase)));
    if (P.Layer == Name && !Name.empty())
      return;
    size_t Dot = commonPath(P.Layer, Name);
    for (unsigned I = 0; I != MaxParts; ++I) {
      Dot = Name.find('.', Dot + 1);
      if (Dot == StringRef::npos)
        break;
      P.Node = add(
          P.Node, frame(Name.take_front(Dot), scopeKindName(ScopeKind::Layer)));
    }
    P.Node = add(P.Node, frame(Name, scopeKindName(ScopeKind::Layer)));
    P.Layer = Name;
  }

  const Trace &T;
  GroupBy By;
  ScopeView Out;
  std::vector<ScopeNode> Places; ///< by scope path
  DenseMap<std::pair<StringRef, StringRef>, uint32_t> FrameIds;
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Nodes;
};

} // namespace

ScopeView groupScopes(const Trace &T, GroupBy By) {
  return Grouper(T, By).run();
}

} // namespace memkit
