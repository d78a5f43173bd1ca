// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loaded binaries without _dl_find_object.
//
// Finds the binary that owns an address with glibc before 2.35, which has no
// lock-free look-up (dl_iterate_phdr waits for a lock that a callback of
// another thread may hold). Reads the loader's list of link_maps, which is
// readable at any time: the loader appends a complete link_map, and frees a
// removed one by memkit's free, which reports the free first.

#ifndef MEMKIT_CAPTURE_STACKS_LOADEDLIST_H
#define MEMKIT_CAPTURE_STACKS_LOADEDLIST_H

#include "Loader.h"

#include <atomic>

namespace memkit::capture {

class LoadedList {
public:
  /// Like _dl_find_object, for the list that starts at \p First. Any thread.
  int find(link_map *First, uintptr_t Pc, FoundObject &Result);

  /// Called before the loader's block at \p P is freed.
  void forget(const void *P);

private:
  struct LoadedBinary {
    uintptr_t Start, End;
    std::atomic<link_map *> Map; ///< null: unloaded
  };
  static constexpr uint32_t Max = 8192;

  void lock();
  bool search(uintptr_t Pc, FoundObject &Result) const;
  bool isUpToDate() const;
  void refresh(link_map *First);
  bool knows(const link_map *Map) const;
  bool add(link_map *Map);

  LoadedBinary *List = nullptr;
  std::atomic<uint32_t> Count{0}, Lock{0}, Forgotten{0}, SeenForgotten{0};
  std::atomic<link_map *> Tail{nullptr}; ///< the last link_map seen
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_LOADEDLIST_H
