// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loaded binaries without _dl_find_object.
//
// Which binary owns an address, for glibc before 2.35, which cannot say so
// without a lock (dl_iterate_phdr waits for one that a callback of another
// thread may hold). It is read from the loader's list of link_maps, which may
// be read at any time: a link_map is put at its end when it is complete, and
// one that is taken out is freed by our free, which tells us before it happens.

#ifndef MEMKIT_CAPTURE_STACKS_LOADEDLIST_H
#define MEMKIT_CAPTURE_STACKS_LOADEDLIST_H

#include "Loader.h"

#include <atomic>

namespace memkit::capture {

class LoadedList {
public:
  /// As _dl_find_object, from the list that begins at \p First. Any thread.
  int find(link_map *First, uintptr_t Pc, FoundObject &Result);

  /// Before the loader's block at \p P is freed.
  void forget(const void *P);

private:
  struct Entry {
    uintptr_t Start, End;
    std::atomic<link_map *> Map; ///< null: it is no more
  };
  static constexpr uint32_t Max = 8192;

  void lock();
  bool search(uintptr_t Pc, FoundObject &Result) const;
  bool isUpToDate() const;
  void refresh(link_map *First);
  bool knows(const link_map *Map) const;
  bool add(link_map *Map);

  Entry *List = nullptr;
  std::atomic<uint32_t> Count{0}, Lock{0}, Forgotten{0}, SeenForgotten{0};
  std::atomic<link_map *> Tail{nullptr}; ///< last one seen
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_LOADEDLIST_H
