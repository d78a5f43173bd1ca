// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weak references to hooks of functions that the program lacks.
//
// What was loaded at the start has been bound to the hooks; its words are
// cleared. What comes later loses the name before the loader looks for it.

#include "HiddenNames.h"
#include "Runtime/Thread.h"
#include "Stacks/Binaries.h"
#include "Stacks/Exports.h"
#include "Stacks/Imports.h"
#include "Stacks/Loader.h"

#include <link.h>

using namespace memkit;
using namespace memkit::capture;

static bool isOwn(const link_map &Map) {
  return isOwnCode(uintptr_t(Map.l_ld));
}

/// The first in the loader's list that Map is in.
static const link_map &firstOf(const link_map &Map) {
  const link_map *First = &Map;
  while (First->l_prev)
    First = First->l_prev;
  return *First;
}

/// Whether this library alone of those in the loader's list has the name.
static bool isHookAlone(const char *Name, const link_map &User) {
  if (!isHookOfFramework(Name))
    return false;
  bool IsHook = false;
  for (const link_map *Map = &firstOf(User); Map; Map = Map->l_next)
    if (Exports(Map).find(Name)) {
      if (!isOwn(*Map))
        return false;
      IsHook = true;
    }
  return IsHook;
}

static void hideFromMapped(const void *LinkMap) {
  auto &Map = *static_cast<const link_map *>(LinkMap);
  // A library that came late is not in the program's scope.
  if (Kept.IsLate)
    return;
  Imports(&Map).each([&](const Import &I) {
    if (I.isWeak() && isHookAlone(I.Name, Map))
      unnameImport(Map, I);
  });
}

static void hideFromLoaded() {
  FoundObject Own = {};
  if (!Loader.find(uintptr_t(&hideFromLoaded), Own) || !Own.LinkMap)
    return;
  BindingTurn Turn;
  const auto &First = firstOf(*static_cast<const link_map *>(Own.LinkMap));
  for (const link_map *Map = Turn ? &First : nullptr; Map; Map = Map->l_next)
    Imports(Map).each([&](const Import &I) {
      if (I.isWeak() && isOwnCode(*I.At) && isHookAlone(I.Name, *Map))
        setWord(Map, I.At, 0);
    });
}

constinit const Source capture::WeakReferences = {.Connected = hideFromLoaded,
                                                  .Mapped = hideFromMapped};
