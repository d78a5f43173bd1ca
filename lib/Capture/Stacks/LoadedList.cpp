// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loaded binaries without _dl_find_object.

#include "LoadedList.h"

#include "Runtime/Pieces.h"

#include "Unwind/Bounds.h"

#include <cstring>
#include <sys/auxv.h>

using namespace memkit;
using namespace memkit::capture;

/// No link_map is freed while the lock is held, unless the loader frees without
/// memkit's hook: this check is for such a loader.
static bool canRead(const link_map *Map) {
  return uintptr_t(Map) % 8 == 0 && isReadable(uintptr_t(Map)) &&
         isReadable(uintptr_t(&Map->l_next));
}

bool LoadedList::search(uintptr_t Pc, FoundObject &Result) const {
  for (uint32_t I = Count.load(std::memory_order_acquire); I--;) {
    const LoadedBinary &E = List[I];
    link_map *Map = E.Map.load(std::memory_order_acquire);
    if (!Map || Pc - E.Start >= E.End - E.Start)
      continue;
    Result = {};
    Result.MapStart = reinterpret_cast<void *>(E.Start);
    Result.MapEnd = reinterpret_cast<void *>(E.End);
    Result.LinkMap = Map;
    return true;
  }
  return false;
}

/// While nothing was freed, the last link_map seen exists and can be asked for
/// a successor.
bool LoadedList::isUpToDate() const {
  const link_map *Last = Tail.load(std::memory_order_acquire);
  return Last &&
         SeenForgotten.load(std::memory_order_acquire) ==
             Forgotten.load(std::memory_order_acquire) &&
         !*const_cast<link_map *const volatile *>(&Last->l_next);
}

int LoadedList::find(link_map *First, uintptr_t Pc, FoundObject &Result) {
  if (search(Pc, Result))
    return 0;
  if (isUpToDate())
    return -1;
  refresh(First);
  return search(Pc, Result) ? 0 : -1;
}

/// Held while the list is read. A handler of the holder never gets here,
/// because the holder's signals are blocked.
void LoadedList::lock() {
  while (Lock.exchange(1, std::memory_order_acquire))
    sys::sleepMicroseconds(20);
}

/// Waits for a refresh in progress, so that entries of that refresh are
/// forgotten, too. A later refresh does not find the link_map in the loader's
/// list.
void LoadedList::forget(const void *P) {
  sys::SignalBlock Block;
  lock();
  for (uint32_t I = Count.load(std::memory_order_acquire); I--;)
    if (List[I].Map.load(std::memory_order_acquire) == P)
      List[I].Map.store(nullptr, std::memory_order_release);
  Forgotten.fetch_add(1, std::memory_order_acq_rel);
  Lock.store(0, std::memory_order_release);
}

bool LoadedList::knows(const link_map *Map) const {
  for (uint32_t I = Count.load(std::memory_order_relaxed); I--;)
    if (List[I].Map.load(std::memory_order_acquire) == Map)
      return true;
  return false;
}

/// False: no room.
bool LoadedList::add(link_map *Map) {
  const Elf64_Phdr *Headers;
  size_t N;
  uintptr_t Bias = Map->l_addr;
  if (!Map->l_prev) { // the program
    Headers = reinterpret_cast<const Elf64_Phdr *>(getauxval(AT_PHDR));
    N = getauxval(AT_PHNUM);
  } else {
    auto *Eh = reinterpret_cast<const Elf64_Ehdr *>(Bias);
    if (!Bias || Bias % PageBytes || !isReadable(Bias) ||
        memcmp(Eh->e_ident, ELFMAG, SELFMAG) != 0 || Eh->e_phoff > PageBytes ||
        Eh->e_phnum > PageBytes / sizeof(Elf64_Phdr) / 2)
      return true;
    Headers = reinterpret_cast<const Elf64_Phdr *>(Bias + Eh->e_phoff);
    N = Eh->e_phnum;
  }
  uintptr_t Start = ~uintptr_t(0), End = 0;
  for (size_t I = 0; I < N; ++I) {
    if (Headers[I].p_type != PT_LOAD)
      continue;
    uintptr_t From = Bias + Headers[I].p_vaddr, To = From + Headers[I].p_memsz;
    Start = From < Start ? From : Start;
    End = To > End ? To : End;
  }
  uint32_t Id = Count.load(std::memory_order_relaxed);
  if (Start >= End)
    return true;
  Start &= ~(PageBytes - 1);
  End = (End + PageBytes - 1) & ~(PageBytes - 1);
  // Reuses the range of an earlier binary: readers may read the range at any
  // time.
  for (uint32_t I = 0; I < Id; ++I)
    if (List[I].Start == Start && List[I].End == End &&
        !List[I].Map.load(std::memory_order_relaxed)) {
      List[I].Map.store(Map, std::memory_order_release);
      return true;
    }
  if (Id == Max)
    return false;
  List[Id].Start = Start;
  List[Id].End = End;
  List[Id].Map.store(Map, std::memory_order_release);
  Count.store(Id + 1, std::memory_order_release);
  return true;
}

void LoadedList::refresh(link_map *First) {
  sys::SignalBlock Block;
  lock();
  if (!List)
    List = static_cast<LoadedBinary *>(
        sys::mapPrivate(Max * sizeof(LoadedBinary)));
  uint32_t Seen = Forgotten.load(std::memory_order_acquire);
  link_map *Last = nullptr;
  for (link_map *M = First; List && M && canRead(M); M = M->l_next) {
    if (!knows(M) && !add(M))
      break;
    Last = M->l_next ? nullptr : M;
  }
  Tail.store(Last, std::memory_order_release);
  SeenForgotten.store(Seen, std::memory_order_release);
  Lock.store(0, std::memory_order_release);
}
