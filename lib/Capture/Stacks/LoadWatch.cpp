// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notices the libraries that a program loads, while no stack is walked.

#include "LoadWatch.h"

#include "Runtime/Symbols.h"
#include "State.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

bool memrecWatchesLoads = false;

static struct {
  const char *Name;
  void (*Found)(const void *LinkMap);
  r_debug *List;
  std::atomic<bool> HasLoads;
} Watch;

void capture::watchLoads(const char *Name, void (*Found)(const void *)) {
  Watch.Name = Name;
  Watch.Found = Found;
  if (!Watch.List)
    Watch.List = static_cast<r_debug *>(nextSymbol("_r_debug"));
  __atomic_store_n(&memrecWatchesLoads, Watch.List != nullptr,
                   __ATOMIC_RELEASE);
}

void capture::noteLoad() {
  Watch.HasLoads.store(true, std::memory_order_relaxed);
  Stacks.HasPendingWork.store(true, std::memory_order_relaxed);
}

bool capture::hasLoads() {
  return Watch.HasLoads.load(std::memory_order_relaxed);
}

static const link_map *find(const char *Name) {
  for (const link_map *M = Watch.List->r_map; M; M = M->l_next) {
    const char *File = M->l_name ? strrchr(M->l_name, '/') : nullptr;
    if (File && !strcmp(File + 1, Name))
      return M;
  }
  return nullptr;
}

void capture::pollLoads() {
  // The loader allocates while it changes the list.
  if (!hasLoads() || Watch.List->r_state != r_debug::RT_CONSISTENT ||
      !Watch.HasLoads.exchange(false, std::memory_order_acq_rel))
    return;
  const link_map *M = find(Watch.Name);
  if (!M)
    return;
  __atomic_store_n(&memrecWatchesLoads, false, __ATOMIC_RELAXED);
  Watch.Found(M);
}
