//===- Modules.cpp - The modules that own addresses -----------------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Process.h"

#include <cstring>
#include <elf.h>
#include <link.h>

using namespace memkit;
using namespace memkit::capture;

bool Modules::begin(int Fd, const wire::Regions &R, wire::Control &C,
                    FindObjectFn Find) {
  Ctl = &C;
  FindObject = Find;
  MaxKnown = R.MaxModules;
  List = static_cast<Known *>(sys::mapPrivate(sizeof(Known) * MaxKnown));
  return List && Table.begin(Fd, R.Modules, R.MaxModules);
}

extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));
extern "C" const char _end[] __attribute__((visibility("hidden")));

bool capture::isOwnCode(uintptr_t Pc) {
  return Pc - uintptr_t(__ehdr_start) <
         uintptr_t(_end) - uintptr_t(__ehdr_start);
}

uint32_t Modules::next() const {
  uint32_t Next = Ctl->NextModule.load(std::memory_order_acquire);
  return Next < MaxKnown ? Next : MaxKnown;
}

uint32_t Modules::moduleOf(uint64_t Pc) {
  for (;;) {
    uint32_t Seen = NumFreed.load(std::memory_order_acquire), Id;
    FoundObject O;
    if (!FindObject || FindObject(reinterpret_cast<void *>(Pc), &O) != 0)
      return 0;
    if ((Id = findKnown(O)) || add(O, Seen, Id))
      return Id;
  }
}

uint32_t Modules::findKnown(const FoundObject &O) {
  auto Is = [&](const Known &K) {
    return K.Live.load(std::memory_order_acquire) && K.LinkMap == O.LinkMap &&
           K.Start == uint64_t(O.MapStart);
  };
  std::atomic<uint32_t> &Hint = hint(O.LinkMap);
  uint32_t Last = Hint.load(std::memory_order_relaxed);
  if (Last && Is(List[Last]))
    return Last;
  for (uint32_t Id = next(); Id-- > 1;)
    if (Is(List[Id])) {
      Hint.store(Id, std::memory_order_relaxed);
      return Id;
    }
  return 0;
}

/// The program headers, where the file's first page is mapped and has them;
/// null: it is not.
static const Elf64_Phdr *programHeaders(uint64_t Start, size_t &Count) {
  auto *Eh = reinterpret_cast<const Elf64_Ehdr *>(Start);
  if (memcmp(Eh->e_ident, ELFMAG, SELFMAG) != 0 ||
      Eh->e_phentsize != sizeof(Elf64_Phdr) || Eh->e_phoff > PageBytes ||
      Eh->e_phoff + Eh->e_phnum * sizeof(Elf64_Phdr) > PageBytes)
    return nullptr;
  Count = Eh->e_phnum;
  return reinterpret_cast<const Elf64_Phdr *>(Start + Eh->e_phoff);
}

/// Copies the build-id out of the mapped notes, if it is there.
static void copyBuildId(wire::Module &M, uint64_t Bias) {
  size_t Count = 0;
  const Elf64_Phdr *Ph = programHeaders(M.Start, Count);
  for (size_t I = 0; Ph && I < Count; ++I) {
    uint64_t At = Ph[I].p_vaddr + Bias, End = At + Ph[I].p_memsz;
    if (Ph[I].p_type != PT_NOTE || At < M.Start || End > M.End || End < At)
      continue;
    while (At + sizeof(Elf64_Nhdr) <= End) {
      auto *N = reinterpret_cast<const Elf64_Nhdr *>(At);
      uint64_t Name = At + sizeof(*N), Desc = Name + ((N->n_namesz + 3) & ~3u);
      uint64_t NextNote = Desc + ((N->n_descsz + 3) & ~3u);
      if (NextNote > End || NextNote <= At)
        break;
      if (N->n_type == NT_GNU_BUILD_ID && N->n_namesz == 4 &&
          memcmp(reinterpret_cast<const char *>(Name), "GNU", 4) == 0 &&
          N->n_descsz <= sizeof(M.BuildId)) {
        M.BuildIdSize = N->n_descsz;
        memcpy(M.BuildId, reinterpret_cast<const char *>(Desc), N->n_descsz);
        return;
      }
      At = NextNote;
    }
  }
}

static void copyPath(wire::Module &M, const char *Name) {
  if (!Name || !*Name) { // The loader has no name for the program itself.
    long N = sys::readlink("/proc/self/exe", M.Path, sizeof(M.Path) - 1);
    M.Path[N > 0 ? N : 0] = 0;
    return;
  }
  size_t N = strnlen(Name, sizeof(M.Path) - 1);
  memcpy(M.Path, Name, N);
  M.Path[N] = 0;
}

void Modules::enter(uint32_t Id, wire::Module &M, const FoundObject &O) {
  auto *Map = static_cast<link_map *>(O.LinkMap);
  M.Start = uint64_t(O.MapStart);
  M.End = uint64_t(O.MapEnd);
  M.Bias = Map->l_addr;
  copyPath(M, Map->l_name);
  copyBuildId(M, Map->l_addr);
  M.State.store(uint32_t(wire::ModuleState::Mapped), std::memory_order_release);
  Known &K = List[Id];
  K.Start = M.Start;
  K.End = M.End;
  K.LinkMap = O.LinkMap;
  size_t Count = 0;
  if (const Elf64_Phdr *Headers = programHeaders(M.Start, Count))
    findEhFrame(Headers, Count, Map->l_addr, K.Tables);
  Proc.Python.noteModule({M.Start, M.End}, O.LinkMap, K.Tables);
  K.Live.store(1, std::memory_order_release);
  Ctl->NextModule.store(Id + 1, std::memory_order_release);
}

/// With signals held back: a handler must not find the lock its own thread's.
/// False: in vain.
bool Modules::lock() {
  for (unsigned Tries = 0; Lock.exchange(1, std::memory_order_acquire);
       ++Tries) {
    if (Tries == 10000)
      return false;
    sys::sleepMicroseconds(50);
  }
  return true;
}

/// False: a module has been unloaded since \p Seen was read, perhaps this one,
/// and the loader has to be asked again.
bool Modules::add(const FoundObject &O, uint32_t Seen, uint32_t &Id) {
  sys::SignalBlock Block;
  Id = 0;
  if (!lock())
    return true;
  bool IsGood = NumFreed.load(std::memory_order_acquire) == Seen;
  if (IsGood && !(Id = findKnown(O))) {
    uint32_t Next = Ctl->NextModule.load(std::memory_order_relaxed);
    if (wire::Module *M = Next < MaxKnown ? Table.get(Next) : nullptr) {
      enter(Next, *M, O);
      Id = Next;
    }
  }
  Lock.store(0, std::memory_order_release);
  return IsGood;
}

bool Modules::stillThere(const Known &K) const {
  FoundObject O;
  return FindObject && FindObject(reinterpret_cast<void *>(K.Start), &O) == 0 &&
         O.LinkMap == K.LinkMap && uint64_t(O.MapStart) == K.Start &&
         uint64_t(O.MapEnd) == K.End;
}

bool Modules::mark(uint32_t Id, AddressRange &Where) {
  Known &K = List[Id];
  uint32_t Live = 1;
  if (!K.Live.compare_exchange_strong(Live, 0, std::memory_order_acq_rel))
    return false;
  Where = {K.Start, K.End};
  if (wire::Module *M = Table.get(Id))
    M->State.store(uint32_t(wire::ModuleState::Unmapped),
                   std::memory_order_release);
  return true;
}

bool Modules::markGone(const void *LinkMap, AddressRange &Where) {
  sys::SignalBlock Block;
  bool HasLock = lock(), Marked = false;
  NumFreed.fetch_add(1, std::memory_order_acq_rel);
  for (uint32_t Id = next(); !Marked && Id-- > 1;)
    if (List[Id].LinkMap == LinkMap &&
        List[Id].Live.load(std::memory_order_acquire))
      Marked = mark(Id, Where);
  if (HasLock)
    Lock.store(0, std::memory_order_release);
  return Marked;
}

bool Modules::markOneGone(AddressRange &Where) {
  for (uint32_t Id = 1, End = next(); Id < End; ++Id)
    if (List[Id].Live.load(std::memory_order_acquire) && !stillThere(List[Id]))
      if (mark(Id, Where))
        return true;
  return false;
}
