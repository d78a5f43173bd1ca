// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds calls to the hooks of AllocatorHooks.h.

#include "AllocatorBinding.h"

#include "AllocatorHooks.h"
#include "Stacks/Binaries.h"
#include "Stacks/Exports.h"
#include "Stacks/Imports.h"
#include "Stacks/Loader.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

/// Set while a loaded binary has a function of AllocatorHooks.h. Read by the
/// hook of dlopen.
extern "C" __attribute__((visibility("hidden"))) bool memrecHasAllocator;
bool memrecHasAllocator = false;

/// Several allocators have functions of the same names. The words of calls that
/// have not been used are then left alone.
static bool HasSeveral;

static bool isAllocator(const Exports &E) {
  for (const char *Name : {"mallocx", "tc_malloc", "mi_malloc", "free_sized"})
    if (E.find(Name))
      return true;
  return false;
}

/// Sets the functions that the hooks call.
static void findFunctions(const Exports &E) {
  forAllocatorHooks(
      [](const AllocatorHook &H, void *With) {
        auto At = static_cast<const Exports *>(With)->find(H.Name);
        if (!At)
          return;
        auto *Known = __atomic_load_n(H.Real, __ATOMIC_ACQUIRE);
        if (!Known)
          __atomic_store_n(H.Real, reinterpret_cast<void *>(At),
                           __ATOMIC_RELEASE);
        else if (uintptr_t(Known) != At)
          HasSeveral = true;
      },
      const_cast<Exports *>(&E));
}

/// Whether the function ends blocks.
static bool isEnd(const AllocatorHook &H) {
  return strstr(H.Name, "free") || strstr(H.Name, "dallocx") ||
         strstr(H.Name, "delete");
}

static void bindImports(const link_map *Of, bool OnlyEnds = false) {
  Imports(Of).each([&](const Import &I) {
    const AllocatorHook *H = allocatorHookOf(I.Name);
    if (!H || (OnlyEnds && !isEnd(*H)))
      return;
    auto Real = uintptr_t(__atomic_load_n(H->Real, __ATOMIC_ACQUIRE));
    if (Real && (*I.At == Real || (!HasSeveral && isUnbound(I, Of))))
      setWord(Of, I.At, uintptr_t(H->Hook));
  });
}

static void unbindImports(const link_map *Of) {
  Imports(Of).each([&](const Import &I) {
    const AllocatorHook *H = allocatorHookOf(I.Name);
    if (H && *I.At == uintptr_t(H->Hook))
      setWord(Of, I.At, uintptr_t(*H->Real));
  });
}

static const link_map *firstBinary() {
  FoundObject Own;
  if (!Loader.find(uintptr_t(&memrecHasAllocator), Own))
    return nullptr;
  auto *Map = static_cast<const link_map *>(Own.LinkMap);
  while (Map->l_prev)
    Map = Map->l_prev;
  return Map;
}

/// Calls F for each binary that is no allocator, and for this library neither.
template <typename Fn> static void eachUser(Fn F) {
  for (const link_map *Map = firstBinary(); Map; Map = Map->l_next)
    if (!isOwnCode(uintptr_t(Map->l_ld)) && !isAllocator(Exports(Map)))
      F(Map);
}

static void findAllocators() {
  for (const link_map *Map = firstBinary(); Map; Map = Map->l_next)
    if (Exports E(Map); isAllocator(E)) {
      findFunctions(E);
      memrecHasAllocator = true;
    }
}

void capture::bindAllocators() {
  findAllocators();
  BindingTurn Turn;
  if (memrecHasAllocator && Turn)
    eachUser([](const link_map *Map) { bindImports(Map); });
}

//===----------------------------------------------------------------------===//
// A program that ran before
//===----------------------------------------------------------------------===//

/// With the lock of the loader's list, so no binary goes meanwhile. A block
/// that is recorded must not end unseen.
static int bindAllLate(dl_phdr_info *, size_t, void *) {
  findAllocators();
  if (memrecHasAllocator)
    for (bool OnlyEnds : {true, false})
      eachUser([=](const link_map *Map) { bindImports(Map, OnlyEnds); });
  return 1;
}

static int unbindAll(dl_phdr_info *, size_t, void *) {
  eachUser(unbindImports);
  return 1;
}

void capture::bindAllocatorsLate() {
  if (BindingTurn Turn; Turn)
    dl_iterate_phdr(bindAllLate, nullptr);
}

void capture::unbindAllocators() {
  if (BindingTurn Turn; Turn && memrecHasAllocator)
    dl_iterate_phdr(unbindAll, nullptr);
}

//===----------------------------------------------------------------------===//
// Libraries that come later
//===----------------------------------------------------------------------===//

void capture::bindAllocatorsOf(const link_map *New) {
  if (isOwnCode(uintptr_t(New->l_ld)))
    return;
  Exports E(New);
  bool IsNew = isAllocator(E);
  if (!IsNew && !memrecHasAllocator)
    return;
  BindingTurn Turn;
  if (!Turn)
    return;
  if (IsNew) {
    findFunctions(E);
    memrecHasAllocator = true;
    eachUser([](const link_map *Map) { bindImports(Map); });
  } else {
    bindImports(New);
  }
}
