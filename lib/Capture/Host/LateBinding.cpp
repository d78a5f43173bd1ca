// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leads the calls of a program that runs already to the hooks, and past them
// again.

#include "LateBinding.h"

#include "Runtime/Pieces.h"
#include "Runtime/Source.h"
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
/// Calls are led to the hooks in this order, because a block that is recorded
/// must not end unseen.
enum class LateStage : uint8_t { Ends, Moves, All };

struct LateHook {
  const char *Name;
  LateStage Stage = LateStage::All;
  const char *Library = nullptr; ///< of a framework; null: any
  uintptr_t Hook = 0, Real = 0;  ///< Real 0: the program has no such function
};
} // namespace

static constexpr LateHook BlockHooks[] = {
    {"free", LateStage::Ends},
    {"_ZdlPv", LateStage::Ends},
    {"_ZdaPv", LateStage::Ends},
    {"_ZdlPvm", LateStage::Ends},
    {"_ZdaPvm", LateStage::Ends},
    {"_ZdlPvRKSt9nothrow_t", LateStage::Ends},
    {"_ZdaPvRKSt9nothrow_t", LateStage::Ends},
    {"_ZdlPvSt11align_val_t", LateStage::Ends},
    {"_ZdaPvSt11align_val_t", LateStage::Ends},
    {"_ZdlPvmSt11align_val_t", LateStage::Ends},
    {"_ZdaPvmSt11align_val_t", LateStage::Ends},
    {"_ZdlPvSt11align_val_tRKSt9nothrow_t", LateStage::Ends},
    {"_ZdaPvSt11align_val_tRKSt9nothrow_t", LateStage::Ends},
    {"realloc", LateStage::Moves},
    {"reallocarray", LateStage::Moves},
    {"malloc"},
    {"calloc"},
    {"memalign"},
    {"posix_memalign"},
    {"aligned_alloc"},
    {"valloc"},
    {"pvalloc"},
    {"_Znwm"},
    {"_Znam"},
    {"_ZnwmRKSt9nothrow_t"},
    {"_ZnamRKSt9nothrow_t"},
    {"_ZnwmSt11align_val_t"},
    {"_ZnamSt11align_val_t"},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t"},
    {"_ZnamSt11align_val_tRKSt9nothrow_t"}};

static constexpr LateHook HostHooks[] = {{"munmap", LateStage::Ends},
                                         {"dlclose", LateStage::Ends},
                                         {"mremap", LateStage::Moves},
                                         {"mmap"},
                                         {"mmap64"},
                                         {"mprotect"},
                                         {"pkey_mprotect"},
                                         {"brk"},
                                         {"sbrk"},
                                         {"pthread_create"},
                                         {"dlopen"},
                                         {"dlsym"},
                                         {"execl"},
                                         {"execle"},
                                         {"execlp"},
                                         {"execv"},
                                         {"execve"},
                                         {"execveat"},
                                         {"execvp"},
                                         {"execvpe"},
                                         {"fexecve"},
                                         {"posix_spawn"},
                                         {"posix_spawnp"},
                                         {"_exit"},
                                         {"_Exit"},
                                         {"quick_exit"},
                                         {"prctl"},
                                         {"syscall"}};

/// Those of the host, then those of the frameworks.
static LateHook Hooks[std::size(BlockHooks) + std::size(HostHooks) + 60];
static size_t NumHooks;

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

static void addHook(LateHook H) {
  if (!H.Hook || NumHooks == std::size(Hooks))
    return;
  Hooks[NumHooks] = H;
  enterName(uint8_t(NumHooks++), H.Name);
}

template <size_t N>
static void addHooks(const Exports &Mine, const LateHook (&Of)[N]) {
  for (LateHook H : Of) {
    H.Hook = Mine.find(H.Name);
    uintptr_t Real = uintptr_t(nextSymbol(H.Name));
    H.Real = isOwnCode(Real) ? 0 : Real;
    addHook(H);
  }
}

/// Whether the executable defines malloc: detours record its blocks.
static bool hasOwnMalloc() {
  const link_map *Of = mapOf(uintptr_t(nextSymbol("malloc")));
  return Of && Of->l_name && !*Of->l_name;
}

void capture::findLateHooks() {
  const link_map *Own = mapOf(uintptr_t(&Hooks));
  if (NumHooks || !Own)
    return;
  Exports Mine(Own);
  if (!hasOwnMalloc())
    addHooks(Mine, BlockHooks);
  addHooks(Mine, HostHooks);
  for (const Source *const *S = Sources; *S; ++S)
    for (const FrameworkHook *F = (*S)->FrameworkHooks; F && F->Name; ++F)
      addHook({F->Name, F->IsEnd ? LateStage::Ends : LateStage::All, F->Library,
               F->Hook ? uintptr_t(F->Hook) : Mine.find(F->Name)});
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

namespace {
/// A word that leads to a function with a hook, or will.
struct LateWord {
  Import Of;
  const LateHook *Hook;
  const link_map *Map;
  bool IsSealed; ///< the loader has made its page read-only
  bool MayBind;  ///< lead to the hook, too, if the call has not been used
  bool IsOpen = false, IsSet = false;
};

/// In mappings of its own.
class LateWords {
public:
  LateWords() = default;
  ~LateWords();
  LateWords(const LateWords &) = delete;
  LateWords &operator=(const LateWords &) = delete;
  /// False: there is no memory.
  bool add(const LateWord &W);
  template <typename Fn> void each(Fn F) {
    for (WordsPart *P = First; P; P = P->Next)
      for (size_t I = 0; I != P->Count; ++I)
        F(P->Words[I]);
  }

private:
  struct WordsPart {
    WordsPart *Next;
    size_t Count;
    LateWord Words[1000];
  };
  WordsPart *First = nullptr, *Last = nullptr;
};

/// A walk over the loader's list, in the list's order.
struct BindingWalk {
  bool ToHooks = true;
  const link_map *First = nullptr; ///< null: from the start
  bool HasBegun = false;
  bool IsAtStart = true;      ///< before the loader: loaded with the program
  uint32_t NumAllocators = 0; ///< binaries that export malloc
  bool HasMemory = true;
  LateWords Words;
  NameMemo Memo;
  BoundCounts Counts;

  void visit(const link_map *Map, const dl_phdr_info &Info);
  bool wants(const LateWord &W) const;
  void open();
  void lead(LateStage Stage);
  void close();
  void count();
};
} // namespace

LateWords::~LateWords() {
  for (WordsPart *P = First; P;) {
    WordsPart *Next = P->Next;
    sys::unmap(P, sizeof(WordsPart));
    P = Next;
  }
}

bool LateWords::add(const LateWord &W) {
  if (!Last || Last->Count == std::size(Last->Words)) {
    auto *New = static_cast<WordsPart *>(sys::mapPrivate(sizeof(WordsPart)));
    if (!New)
      return false;
    (Last ? Last->Next : First) = New;
    Last = New;
  }
  Last->Words[Last->Count++] = W;
  return true;
}

static bool protect(uintptr_t Page, int Access) {
  return !sys::failed(
      sys::call(SYS_mprotect, long(Page), long(PageBytes), Access));
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

/// Whether a store to the page works: a program may have made memory
/// read-only that the loader has not. Where the kernel does not tell (before
/// Linux 5.14), the answer is yes.
static bool isWritable(uintptr_t Page) {
  constexpr int PopulateWrite = 23; // MADV_POPULATE_WRITE
  auto Try = [](uintptr_t Of) {
    return !sys::failed(sys::call(SYS_madvise, long(Of & ~(PageBytes - 1)),
                                  long(PageBytes), PopulateWrite));
  };
  return Try(Page) || !Try(uintptr_t(&Hooks));
}

/// A call that has not been used is bound by the loader later. What is opened
/// with RTLD_DEEPBIND may then find another allocator than the program's first.
void BindingWalk::visit(const link_map *Map, const dl_phdr_info &Info) {
  Imports(Map).eachWanted(
      Memo,
      [](const char *Name) {
        const LateHook *H = hookOf(Name);
        return H && H->Real;
      },
      [&](const Import &I) {
        const LateHook *H = hookOf(I.Name);
        HasMemory &= Words.add({I, H, Map, isSealed(Info, uintptr_t(I.At)),
                                H->Library || IsAtStart || NumAllocators < 2});
      });
}

bool BindingWalk::wants(const LateWord &W) const {
  if (!ToHooks)
    return *W.Of.At == W.Hook->Hook;
  return *W.Of.At == W.Hook->Real || (W.MayBind && isUnbound(W.Of, W.Map));
}

static uintptr_t pageOf(const LateWord &W) {
  return uintptr_t(W.Of.At) & ~(PageBytes - 1);
}

/// Makes the pages of the words writable, each once: at each system call of
/// this thread memrec stops it.
void BindingWalk::open() {
  uintptr_t Page = 0;
  bool IsOpen = false;
  Words.each([&](LateWord &W) {
    if (!wants(W))
      return;
    if (Page != pageOf(W)) {
      Page = pageOf(W);
      IsOpen =
          W.IsSealed ? protect(Page, PROT_READ | PROT_WRITE) : isWritable(Page);
    }
    W.IsOpen = IsOpen;
  });
}

void BindingWalk::lead(LateStage Stage) {
  Words.each([&](LateWord &W) {
    if (!W.IsOpen || W.Hook->Stage != Stage)
      return;
    uintptr_t To = ToHooks ? W.Hook->Hook : W.Hook->Real;
    __atomic_store_n(W.Of.At, To, __ATOMIC_RELEASE);
    W.IsSet = true;
  });
}

void BindingWalk::close() {
  uintptr_t Page = 0;
  Words.each([&](const LateWord &W) {
    if (W.IsOpen && W.IsSealed && Page != pageOf(W)) {
      Page = pageOf(W);
      protect(Page, PROT_READ);
    }
  });
}

/// The words of a binary follow one another.
void BindingWalk::count() {
  const link_map *Last = nullptr;
  Words.each([&](const LateWord &W) {
    Counts.Words += W.IsSet;
    if ((W.IsSet || *W.Of.At == W.Hook->Hook) && W.Map != Last) {
      ++Counts.Binaries;
      Last = W.Map;
    }
  });
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

/// Of a library, "libx.so" or "libx.so.VERSION".
static bool isFileOf(const char *Library, const char *File) {
  size_t N = strlen(Library);
  return strncmp(Library, File, N) == 0 && (!File[N] || File[N] == '.');
}

/// Finds the functions of a framework's library. The loader's list is locked,
/// so dlsym, which waits for the loader, must not be called.
static int findFrameworks(dl_phdr_info *Info, size_t, void *) {
  const char *Slash = strrchr(Info->dlpi_name, '/');
  const char *File = Slash ? Slash + 1 : Info->dlpi_name;
  const link_map *Map = nullptr;
  for (LateHook &H : Hooks) {
    if (!H.Library || !isFileOf(H.Library, File))
      continue;
    Map = Map ? Map : mapOf(*Info);
    if (Map)
      H.Real = Exports(Map).find(H.Name);
  }
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

/// The first call does all: it holds the lock of the loader's list, and may
/// take it again.
static int leadAll(dl_phdr_info *, size_t, void *Of) {
  auto &Walk = *static_cast<BindingWalk *>(Of);
  dl_iterate_phdr(countAllocator, &Walk);
  for (LateHook &H : Hooks)
    if (H.Library)
      H.Real = 0;
  dl_iterate_phdr(findFrameworks, nullptr);
  dl_iterate_phdr(visitBinary, &Walk);
  if (!Walk.HasMemory && Walk.ToHooks)
    return 1;
  Walk.open();
  for (LateStage Stage : {LateStage::Ends, LateStage::Moves, LateStage::All})
    Walk.lead(Stage);
  Walk.close();
  Walk.count();
  return 1;
}

static bool walk(BindingWalk &Walk) {
  BindingTurn Turn;
  if (Turn)
    dl_iterate_phdr(leadAll, &Walk);
  return Turn && Walk.HasMemory;
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
  bool Done = walk(Walk);
  forSources(&Source::Opened);
  return Done;
}

bool capture::unbindLate(BoundCounts &Counts) {
  BindingWalk Walk;
  Walk.ToHooks = false;
  bool Done = walk(Walk);
  Counts = Walk.Counts;
  return Done;
}
