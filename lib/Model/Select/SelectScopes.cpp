// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ScopePaths and layers of a selection.

#include "Model/Names/Globs.h"
#include "Support/Failure.h"
#include "memkit/Model/Selection.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

/// Longer paths are not matched, because the text of each path is built for the
/// match. Below a path that matches, scope paths of any depth are chosen.
static constexpr uint32_t MaxPath = 256;

Error Selection::chooseScopePaths(const Trace &T, const SelectionSpec &S) {
  if (S.ScopePaths.empty())
    return Error::success();
  Expected<Globs> Wanted =
      Globs::create(RequestField::ScopePaths, S.ScopePaths);
  if (!Wanted)
    return Wanted.takeError();
  AllScopePaths = false;
  std::vector<std::string> There;
  BitVector Scopes(T.scopes().size() + 1);
  for (uint32_t Id = 1; Id < Scopes.size(); ++Id) {
    There.push_back(T.string(T.scopes()[Id - 1].Name).str());
    Scopes[Id] = Wanted->match(There.back());
  }
  ScopePaths.resize(T.scopePaths().size() + 1);
  std::vector<uint32_t> Lengths(ScopePaths.size()); // of paths, up to MaxPath
  for (uint32_t Id = 1; Id < ScopePaths.size(); ++Id) {
    const ScopePath &C = T.scopePaths()[Id - 1];
    Lengths[Id] = std::min(Lengths[C.Parent] + 1, MaxPath);
    ScopePaths[Id] =
        ScopePaths[C.Parent] || Scopes[C.Scope] ||
        (Lengths[Id] != MaxPath && Wanted->match(T.scopePathText(Id)));
  }
  if (ScopePaths.none() && !S.MayMatchNothing)
    return nothingMatches("scope path", S.ScopePaths, There);
  return Error::success();
}

/// Whether a pattern matches the module path Name or one of its prefixes.
static bool matchesPath(const Globs &Wanted, StringRef Name) {
  // A bound, since any program may choose the names.
  const unsigned MaxParts = 64;
  size_t Dot = 0;
  for (unsigned I = 0; I != MaxParts; ++I) {
    Dot = Name.find('.', Dot + 1);
    if (Dot == StringRef::npos)
      break;
    if (Wanted.match(Name.take_front(Dot)))
      return true;
  }
  return Wanted.match(Name);
}

/// Narrows the choice of chooseScopePaths().
Error Selection::chooseLayers(const Trace &T, const SelectionSpec &S) {
  if (S.Layers.empty())
    return Error::success();
  Expected<Globs> Wanted = Globs::create(RequestField::Layers, S.Layers);
  if (!Wanted)
    return Wanted.takeError();
  std::vector<std::string> There;
  BitVector Scopes(T.scopes().size() + 1);
  for (uint32_t Id = 1; Id < Scopes.size(); ++Id) {
    const ScopeRecord &Sc = T.scopes()[Id - 1];
    if (Sc.Kind != ScopeKind::Layer)
      continue;
    There.push_back(T.string(Sc.Name).str());
    Scopes[Id] = matchesPath(*Wanted, There.back());
  }
  if (Scopes.none() && !S.MayMatchNothing)
    return nothingMatches("layer", S.Layers, There);
  BitVector In(T.scopePaths().size() + 1);
  for (uint32_t Id = 1; Id < In.size(); ++Id) {
    const ScopePath &C = T.scopePaths()[Id - 1];
    In[Id] = In[C.Parent] || Scopes[C.Scope];
  }
  if (AllScopePaths)
    ScopePaths = std::move(In);
  else
    ScopePaths &= In;
  AllScopePaths = false;
  if (ScopePaths.none() && !S.MayMatchNothing)
    return makeError("no layer that matches '" + join(S.Layers, "', '") +
                     "' lies in a scope path that matches '" +
                     join(S.ScopePaths, "', '") + "'");
  return Error::success();
}

} // namespace memkit
