// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scope paths of a trace that is being written.

#include "ScopeTree.h"
#include "Catalog.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

std::string memkit::foldDigits(StringRef Name) {
  std::string Out;
  for (char C : Name) {
    bool Digit = isDigit(C);
    if (!Digit || Out.empty() || Out.back() != '#')
      Out.push_back(Digit ? '#' : C);
  }
  return Out;
}

uint32_t ScopeTree::scope(ScopeKind Kind, StringRef Name, uint32_t Color) {
  ScopeRecord S;
  S.Kind = Kind;
  S.Name = Names.Names.string(Name);
  S.Color = Color;
  auto [It, New] = Scopes.try_emplace({uint32_t(Kind), S.Name}, NumScopes + 1);
  if (New) {
    ++NumScopes;
    Names.pending().Scopes.push_back(S);
  }
  return It->second;
}

uint32_t ScopeTree::newScope(ScopeKind Kind, StringRef Name) {
  ScopeRecord S;
  S.Kind = Kind;
  S.Name = Names.Names.string(Name);
  Names.pending().Scopes.push_back(S);
  Nameless.push_back(++NumScopes);
  return NumScopes;
}

/// All scopes before the returned id are written.
uint32_t ScopeTree::firstPending() const {
  return NumScopes - uint32_t(Names.pending().Scopes.size()) + 1;
}

bool ScopeTree::awaitsNames() {
  erase_if(Nameless,
           [First = firstPending()](uint32_t Id) { return Id < First; });
  return !Nameless.empty();
}

uint32_t ScopeTree::enterScope(uint32_t Parent, uint32_t Scope) {
  uint32_t Known = find(Parent, Scope, 0);
  return Known ? Known : add(Parent, Scope, 0);
}

bool ScopeTree::rename(uint32_t Id, ScopeKind Kind, StringRef Name) {
  std::vector<ScopeRecord> &Pending = Names.pending().Scopes;
  erase(Nameless, Id);
  if (Id < firstPending())
    return false;
  ScopeRecord &S = Pending[Id - firstPending()];
  S.Name = Names.Names.string(Name);
  // Later scopes of this name share the scope.
  Scopes.try_emplace({uint32_t(Kind), S.Name}, Id);
  return true;
}

uint32_t ScopeTree::find(uint32_t Parent, uint32_t Scope, uint32_t Depth) {
  return ScopePaths.lookup({Parent, Scope, Depth});
}

uint32_t ScopeTree::add(uint32_t Parent, uint32_t Scope, uint32_t Depth) {
  if (NumScopePaths == MaxScopePaths)
    return Parent;
  Names.pending().ScopePaths.push_back({Parent, Scope, Depth});
  return ScopePaths[{Parent, Scope, Depth}] = ++NumScopePaths;
}

ScopeTree::Entered ScopeTree::enter(uint32_t Parent, ScopeKind Kind,
                                    StringRef Name, uint32_t Depth,
                                    uint32_t Color) {
  if (none_of(Name, [](char C) { return isDigit(C); })) {
    uint32_t Id = scope(Kind, Name, Color);
    uint32_t Known = find(Parent, Id, Depth);
    return {Known ? Known : add(Parent, Id, Depth), false};
  }
  uint32_t Own = 0;
  if (uint32_t String = Names.Names.find(Name))
    Own = Scopes.lookup({uint32_t(Kind), String});
  if (Own)
    if (uint32_t Known = find(Parent, Own, Depth))
      return {Known, false};
  uint32_t Folded = scope(Kind, foldDigits(Name), Color);
  uint32_t &Count = Alike[{Parent, Folded}];
  if (Count < MaxAlike) {
    ++Count;
    return {add(Parent, scope(Kind, Name, Color), Depth), false};
  }
  uint32_t Known = find(Parent, Folded, Depth);
  return {Known ? Known : add(Parent, Folded, Depth), true};
}
