// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts and layers of a selection.

#include "Globs.h"
#include "memkit/Model/Selection.h"
#include "memkit/Support/ToolMain.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

/// Deeper than that a path is not matched, for each is made anew. What lies in
/// one that matches is chosen at any depth.
static constexpr uint32_t MaxPath = 256;

Error Selection::chooseContexts(const Trace &T, const SelectionSpec &S) {
  if (S.Contexts.empty())
    return Error::success();
  Expected<Globs> Wanted = Globs::create("--context", S.Contexts);
  if (!Wanted)
    return Wanted.takeError();
  AllContexts = false;
  std::vector<std::string> There;
  BitVector Scopes(T.scopes().size() + 1);
  for (uint32_t Id = 1; Id < Scopes.size(); ++Id) {
    There.push_back(T.string(T.scopes()[Id - 1].Name).str());
    Scopes[Id] = Wanted->match(There.back());
  }
  Contexts.resize(T.contexts().size() + 1);
  std::vector<uint32_t> Lengths(Contexts.size()); // of paths, up to MaxPath
  for (uint32_t Id = 1; Id < Contexts.size(); ++Id) {
    const Context &C = T.contexts()[Id - 1];
    Lengths[Id] = std::min(Lengths[C.Parent] + 1, MaxPath);
    Contexts[Id] = Contexts[C.Parent] || Scopes[C.Scope] ||
                   (Lengths[Id] != MaxPath && Wanted->match(T.contextPath(Id)));
  }
  if (Contexts.none())
    return nothingMatches("context", S.Contexts, There);
  return Error::success();
}

/// Whether a pattern matches the module path Name or one that it lies below.
static bool matchesPath(const Globs &Wanted, StringRef Name) {
  const unsigned MaxParts = 64; // names are anyone's
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

/// Narrows what chooseContexts() chose.
Error Selection::chooseLayers(const Trace &T, const SelectionSpec &S) {
  if (S.Layers.empty())
    return Error::success();
  Expected<Globs> Wanted = Globs::create("--layer", S.Layers);
  if (!Wanted)
    return Wanted.takeError();
  std::vector<std::string> There;
  BitVector Scopes(T.scopes().size() + 1);
  for (uint32_t Id = 1; Id < Scopes.size(); ++Id) {
    const Scope &Sc = T.scopes()[Id - 1];
    if (Sc.Kind != ScopeKind::Layer)
      continue;
    There.push_back(T.string(Sc.Name).str());
    Scopes[Id] = matchesPath(*Wanted, There.back());
  }
  if (Scopes.none())
    return nothingMatches("layer", S.Layers, There);
  BitVector In(T.contexts().size() + 1);
  for (uint32_t Id = 1; Id < In.size(); ++Id) {
    const Context &C = T.contexts()[Id - 1];
    In[Id] = In[C.Parent] || Scopes[C.Scope];
  }
  if (AllContexts)
    Contexts = std::move(In);
  else
    Contexts &= In;
  AllContexts = false;
  if (Contexts.none())
    return makeError("no layer that matches '" + join(S.Layers, "', '") +
                     "' lies in a context that matches '" +
                     join(S.Contexts, "', '") + "'");
  return Error::success();
}

} // namespace memkit
