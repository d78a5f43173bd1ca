//===- Modules.cpp - The modules that own addresses -----------------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules.h"

#include <cstring>
#include <elf.h>
#include <link.h>

using namespace memkit;
using namespace memkit::capture;

bool Modules::begin(int Fd, const wire::Regions &R, wire::Control &C,
                    FindObjectFn Find) {
  Ctl = &C;
  FindObject = Find;
  List = static_cast<Known *>(sys::mapPrivate(sizeof(Known) * MaxKnown));
  return List && Table.begin(Fd, R.Modules, R.MaxModules);
}

uint32_t Modules::moduleOf(uint64_t Pc) {
  FoundObject O;
  if (!FindObject || FindObject(reinterpret_cast<void *>(Pc), &O) != 0)
    return 0;
  if (uint32_t Id = findKnown(O))
    return Id;
  return add(O);
}

uint32_t Modules::findKnown(const FoundObject &O) const {
  auto Is = [&](const Known &K) {
    return K.LinkMap == O.LinkMap && K.Start == uint64_t(O.MapStart) &&
           K.Live.load(std::memory_order_acquire);
  };
  uint32_t Last = LastHit.load(std::memory_order_relaxed);
  if (Last && Is(List[Last]))
    return Last;
  uint32_t Next = Ctl->NextModule.load(std::memory_order_acquire);
  for (uint32_t Id = Next < MaxKnown ? Next : MaxKnown; Id-- > 1;)
    if (Is(List[Id])) {
      const_cast<Modules *>(this)->LastHit.store(Id, std::memory_order_relaxed);
      return Id;
    }
  return 0;
}

/// Copies the build-id out of the mapped notes, if it is there.
static void copyBuildId(wire::Module &M, uint64_t Bias) {
  auto *Eh = reinterpret_cast<const Elf64_Ehdr *>(M.Start);
  if (memcmp(Eh->e_ident, ELFMAG, SELFMAG) != 0 ||
      Eh->e_phentsize != sizeof(Elf64_Phdr) ||
      Eh->e_phoff + Eh->e_phnum * sizeof(Elf64_Phdr) > PageBytes)
    return;
  auto *Ph = reinterpret_cast<const Elf64_Phdr *>(M.Start + Eh->e_phoff);
  for (unsigned I = 0; I < Eh->e_phnum; ++I) {
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

uint32_t Modules::add(const FoundObject &O) {
  sys::SignalBlock Block; // A handler must not find the lock its own thread's.
  uint32_t Expected = 0;
  for (unsigned Tries = 0;
       !Lock.compare_exchange_strong(Expected, 1, std::memory_order_acquire);
       Expected = 0, ++Tries) {
    if (Tries == 10000)
      return 0;
    sys::sleepMicroseconds(50);
  }
  uint32_t Id = findKnown(O);
  if (!Id) {
    Id = Ctl->NextModule.load(std::memory_order_relaxed);
    wire::Module *M = Id < MaxKnown ? Table.get(Id) : nullptr;
    if (!M) {
      Id = 0;
    } else {
      auto *Map = static_cast<link_map *>(O.LinkMap);
      M->Start = uint64_t(O.MapStart);
      M->End = uint64_t(O.MapEnd);
      M->Bias = Map->l_addr;
      copyPath(*M, Map->l_name);
      copyBuildId(*M, Map->l_addr);
      M->State.store(uint32_t(wire::ModuleState::Mapped),
                     std::memory_order_release);
      List[Id].Start = M->Start;
      List[Id].End = M->End;
      List[Id].LinkMap = O.LinkMap;
      List[Id].Live.store(1, std::memory_order_release);
      Ctl->NextModule.store(Id + 1, std::memory_order_release);
    }
  }
  Lock.store(0, std::memory_order_release);
  return Id;
}

bool Modules::stillThere(const Known &K) const {
  FoundObject O;
  return FindObject && FindObject(reinterpret_cast<void *>(K.Start), &O) == 0 &&
         O.LinkMap == K.LinkMap && uint64_t(O.MapStart) == K.Start &&
         uint64_t(O.MapEnd) == K.End;
}

bool Modules::markGone() {
  bool Any = false;
  uint32_t Next = Ctl->NextModule.load(std::memory_order_acquire);
  for (uint32_t Id = 1; Id < Next && Id < MaxKnown; ++Id) {
    Known &K = List[Id];
    if (!K.Live.load(std::memory_order_acquire) || stillThere(K))
      continue;
    K.Live.store(0, std::memory_order_release);
    if (wire::Module *M = Table.get(Id))
      M->State.store(uint32_t(wire::ModuleState::Unmapped),
                     std::memory_order_release);
    Any = true;
  }
  return Any;
}

bool Modules::isGone(uint32_t Id) const {
  return Id && Id < MaxKnown && !List[Id].Live.load(std::memory_order_acquire);
}
