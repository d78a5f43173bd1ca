// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leads the calls of a program that runs already to the hooks, and past them
// again.

#include "LateBinding.h"

#include "Runtime/Pieces.h"
#include "Runtime/Symbols.h"
#include "Stacks/Binaries.h"
#include "Stacks/Exports.h"
#include "Stacks/Imports.h"
#include "Stacks/Loader.h"

#include <cstring>
#include <iterator>

using namespace memkit;
using namespace memkit::capture;

namespace {
struct LateHook {
  const char *Name;
  uintptr_t Hook, Real; ///< Real 0: the program has no such function
};
} // namespace

#define MEMKIT_HOOK(Name) {Name, 0, 0}
/// The hooks that end blocks come first, then those that move blocks, then all
/// others.
static LateHook Hooks[] = {MEMKIT_HOOK("free"),
                           MEMKIT_HOOK("munmap"),
                           MEMKIT_HOOK("dlclose"),
                           MEMKIT_HOOK("_ZdlPv"),
                           MEMKIT_HOOK("_ZdaPv"),
                           MEMKIT_HOOK("_ZdlPvm"),
                           MEMKIT_HOOK("_ZdaPvm"),
                           MEMKIT_HOOK("_ZdlPvRKSt9nothrow_t"),
                           MEMKIT_HOOK("_ZdaPvRKSt9nothrow_t"),
                           MEMKIT_HOOK("_ZdlPvSt11align_val_t"),
                           MEMKIT_HOOK("_ZdaPvSt11align_val_t"),
                           MEMKIT_HOOK("_ZdlPvmSt11align_val_t"),
                           MEMKIT_HOOK("_ZdaPvmSt11align_val_t"),
                           MEMKIT_HOOK("_ZdlPvSt11align_val_tRKSt9nothrow_t"),
                           MEMKIT_HOOK("_ZdaPvSt11align_val_tRKSt9nothrow_t"),
                           MEMKIT_HOOK("realloc"),
                           MEMKIT_HOOK("reallocarray"),
                           MEMKIT_HOOK("mremap"),
                           MEMKIT_HOOK("malloc"),
                           MEMKIT_HOOK("calloc"),
                           MEMKIT_HOOK("memalign"),
                           MEMKIT_HOOK("posix_memalign"),
                           MEMKIT_HOOK("aligned_alloc"),
                           MEMKIT_HOOK("valloc"),
                           MEMKIT_HOOK("pvalloc"),
                           MEMKIT_HOOK("mmap"),
                           MEMKIT_HOOK("mmap64"),
                           MEMKIT_HOOK("mprotect"),
                           MEMKIT_HOOK("pkey_mprotect"),
                           MEMKIT_HOOK("brk"),
                           MEMKIT_HOOK("sbrk"),
                           MEMKIT_HOOK("pthread_create"),
                           MEMKIT_HOOK("dlopen"),
                           MEMKIT_HOOK("execl"),
                           MEMKIT_HOOK("execle"),
                           MEMKIT_HOOK("execlp"),
                           MEMKIT_HOOK("execv"),
                           MEMKIT_HOOK("execve"),
                           MEMKIT_HOOK("execveat"),
                           MEMKIT_HOOK("execvp"),
                           MEMKIT_HOOK("execvpe"),
                           MEMKIT_HOOK("fexecve"),
                           MEMKIT_HOOK("posix_spawn"),
                           MEMKIT_HOOK("posix_spawnp"),
                           MEMKIT_HOOK("_exit"),
                           MEMKIT_HOOK("_Exit"),
                           MEMKIT_HOOK("quick_exit"),
                           MEMKIT_HOOK("prctl"),
                           MEMKIT_HOOK("syscall"),
                           MEMKIT_HOOK("_Znwm"),
                           MEMKIT_HOOK("_Znam"),
                           MEMKIT_HOOK("_ZnwmRKSt9nothrow_t"),
                           MEMKIT_HOOK("_ZnamRKSt9nothrow_t"),
                           MEMKIT_HOOK("_ZnwmSt11align_val_t"),
                           MEMKIT_HOOK("_ZnamSt11align_val_t"),
                           MEMKIT_HOOK("_ZnwmSt11align_val_tRKSt9nothrow_t"),
                           MEMKIT_HOOK("_ZnamSt11align_val_tRKSt9nothrow_t")};
#undef MEMKIT_HOOK
/// How many are led to the hooks at a time.
static constexpr size_t Stages[] = {15, 18, std::size(Hooks)};

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// By hash of the name: numbers of Hooks plus 1, with linear probing.
static constexpr uint32_t NumPlaces = 256;
static uint8_t Places[NumPlaces];

static uint32_t placeOf(const char *Name) {
  uint32_t Hash = 5381;
  for (; *Name; ++Name)
    Hash = Hash * 33 + uint8_t(*Name);
  return Hash;
}

static const LateHook *hookOf(const char *Name) {
  for (uint32_t I = placeOf(Name);; ++I) {
    uint8_t Is = Places[I % NumPlaces];
    if (!Is)
      return nullptr;
    if (strcmp(Hooks[Is - 1].Name, Name) == 0)
      return &Hooks[Is - 1];
  }
}

static void enterName(uint8_t Number, const char *Name) {
  uint32_t I = placeOf(Name);
  while (Places[I % NumPlaces])
    ++I;
  Places[I % NumPlaces] = Number + 1;
}

static const link_map *mapOf(uintptr_t Address) {
  FoundObject O = {};
  return Loader.find(Address, O) ? static_cast<const link_map *>(O.LinkMap)
                                 : nullptr;
}

void capture::findLateHooks() {
  static bool Found;
  const link_map *Own = mapOf(uintptr_t(&Hooks));
  if (Found || !Own)
    return;
  Exports Mine(Own);
  for (LateHook &H : Hooks) {
    H.Hook = Mine.find(H.Name);
    uintptr_t Real = uintptr_t(nextSymbol(H.Name));
    H.Real = isOwnCode(Real) ? 0 : Real;
    enterName(uint8_t(&H - Hooks), H.Name);
  }
  Found = true;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

namespace {
/// A walk over the loader's list, in the list's order.
struct BindingWalk {
  bool ToHooks = true;
  size_t Stage = std::size(Hooks); ///< the first so many hooks
  const link_map *First = nullptr; ///< null: from the start
  bool HasBegun = false;
  bool IsAtStart = true;   ///< before the loader: loaded with the program
  bool HasSeveral = false; ///< binaries that export malloc
  uint32_t NumAllocators = 0;
  BoundCounts Counts;

  void visit(const link_map *Map, const dl_phdr_info &Info);
  bool wants(const Import &I, const LateHook &H, const link_map *Map) const;
};
} // namespace

/// A call that has not been used is bound by the loader later. What is opened
/// with RTLD_DEEPBIND may then find another allocator than the program's first.
bool BindingWalk::wants(const Import &I, const LateHook &H,
                        const link_map *Map) const {
  if (!ToHooks)
    return *I.At == H.Hook;
  if (size_t(&H - Hooks) >= Stage)
    return false;
  return *I.At == H.Real || ((IsAtStart || !HasSeveral) && isUnbound(I, Map));
}

static bool protect(uintptr_t At, int Access) {
  long Page = long(At & ~(PageBytes - 1));
  return !sys::failed(sys::call(SYS_mprotect, Page, long(PageBytes), Access));
}

/// Whether the loader has made the word's page read-only.
static bool isSealed(const dl_phdr_info &Info, uintptr_t At) {
  constexpr uintptr_t Mask = ~(PageBytes - 1);
  for (unsigned I = 0; I != Info.dlpi_phnum; ++I) {
    const Elf64_Phdr &P = Info.dlpi_phdr[I];
    uintptr_t Start = Info.dlpi_addr + P.p_vaddr, End = Start + P.p_memsz;
    if (P.p_type == PT_GNU_RELRO && At >= (Start & Mask) && At < (End & Mask))
      return true;
  }
  return false;
}

/// Whether a store to the word's page works: a program may have made memory
/// read-only that the loader has not. Where the kernel does not tell (before
/// Linux 5.14), the answer is yes.
static bool isWritable(uintptr_t At) {
  constexpr int PopulateWrite = 23; // MADV_POPULATE_WRITE
  auto Try = [](uintptr_t Of) {
    return !sys::failed(sys::call(SYS_madvise, long(Of & ~(PageBytes - 1)),
                                  long(PageBytes), PopulateWrite));
  };
  return Try(At) || !Try(uintptr_t(&Hooks));
}

/// Sets a word of a binary in the turn. False: the page stays read-only.
static bool setLate(const dl_phdr_info &Info, uintptr_t *At, uintptr_t Value) {
  bool Sealed = isSealed(Info, uintptr_t(At));
  if (Sealed ? !protect(uintptr_t(At), PROT_READ | PROT_WRITE)
             : !isWritable(uintptr_t(At)))
    return false;
  __atomic_store_n(At, Value, __ATOMIC_RELEASE);
  if (Sealed)
    protect(uintptr_t(At), PROT_READ);
  return true;
}

void BindingWalk::visit(const link_map *Map, const dl_phdr_info &Info) {
  bool HasHooks = false;
  Imports(Map).each([&](const Import &I) {
    const LateHook *H = hookOf(I.Name);
    if (!H || !H->Hook || !H->Real)
      return;
    bool Changes =
        wants(I, *H, Map) && setLate(Info, I.At, ToHooks ? H->Hook : H->Real);
    Counts.Words += Changes;
    HasHooks |= Changes || *I.At == H->Hook;
  });
  Counts.Binaries += HasHooks;
}

/// The address of the dynamic section; 0: none.
static uintptr_t dynamicOf(const dl_phdr_info &Info) {
  for (unsigned I = 0; I != Info.dlpi_phnum; ++I)
    if (Info.dlpi_phdr[I].p_type == PT_DYNAMIC)
      return Info.dlpi_addr + Info.dlpi_phdr[I].p_vaddr;
  return 0;
}

static const link_map *mapOf(const dl_phdr_info &Info) {
  uintptr_t Dynamic = dynamicOf(Info);
  const link_map *Map = Dynamic ? mapOf(Dynamic) : nullptr;
  return Map && uintptr_t(Map->l_ld) == Dynamic ? Map : nullptr;
}

static int countAllocator(dl_phdr_info *Info, size_t, void *Of) {
  const link_map *Map = mapOf(*Info);
  if (Map && !isOwnCode(uintptr_t(Map->l_ld)) && Exports(Map).find("malloc"))
    ++static_cast<BindingWalk *>(Of)->NumAllocators;
  return 0;
}

static int visitBinary(dl_phdr_info *Info, size_t, void *Of) {
  auto &Walk = *static_cast<BindingWalk *>(Of);
  const link_map *Map = mapOf(*Info);
  if (!Map || isOwnCode(uintptr_t(Map->l_ld)))
    return 0;
  Walk.HasBegun |= !Walk.First || Walk.First == Map;
  bool IsLoader = uintptr_t(Map->l_ld) - Loader.Start < Loader.Bytes;
  if (Walk.HasBegun && !IsLoader)
    Walk.visit(Map, *Info);
  Walk.IsAtStart &= !IsLoader;
  return 0;
}

static void visitAll(BindingWalk &Walk) {
  Walk.HasBegun = false;
  Walk.IsAtStart = true;
  dl_iterate_phdr(visitBinary, &Walk);
}

/// The ends of blocks are led to the hooks before the beginnings: a block that
/// is recorded must not end unseen.
static bool walk(BindingWalk &Walk) {
  BindingTurn Turn;
  if (!Turn)
    return false;
  dl_iterate_phdr(countAllocator, &Walk);
  Walk.HasSeveral = Walk.NumAllocators > 1;
  if (Walk.ToHooks)
    for (size_t Stage : Stages) {
      Walk.Stage = Stage;
      Walk.Counts.Binaries = 0;
      visitAll(Walk);
    }
  else
    visitAll(Walk);
  return true;
}

bool capture::bindLate(BoundCounts &Counts) {
  BindingWalk Walk;
  bool Done = walk(Walk);
  Counts = Walk.Counts;
  return Done;
}

bool capture::bindLateFrom(const link_map *First) {
  BindingWalk Walk;
  Walk.First = First;
  return walk(Walk);
}

bool capture::unbindLate(BoundCounts &Counts) {
  BindingWalk Walk;
  Walk.ToHooks = false;
  bool Done = walk(Walk);
  Counts = Walk.Counts;
  return Done;
}
