// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of allocators that are built into binaries, and scopes of tests, as a
// source.

#include "Detours.h"

#include "CodePatch.h"
#include "LoaderNotice.h"
#include "PrivateBlocks.h"
#include "Runtime/Questions.h"
#include "Runtime/Recording.h"
#include "Runtime/Symbols.h"
#include "Runtime/Thread.h"
#include "Stacks/Binaries.h"
#include "Stacks/Exports.h"
#include "Stacks/Imports.h"
#include "Stacks/MappedElf.h"
#include "Stacks/MappedPath.h"
#include "Stacks/SectionFile.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace memkit;
using namespace memkit::capture;
using wire::Detour;
using wire::DetourReply;
using wire::DetourWord;

/// Allocators of all binaries. Children of fork keep them.
static constexpr size_t MaxHeaps = 64;
static PrivateHeap Heaps[MaxHeaps];
static size_t NumHeaps;

/// The heap with the name, which may come from a binary of before; null: there
/// are too many.
static PrivateHeap *heapOf(const char *Name) {
  for (size_t I = 0; I != NumHeaps; ++I)
    if (strncmp(Heaps[I].Name, Name, sizeof(PrivateHeap::Name)) == 0)
      return &Heaps[I];
  if (NumHeaps == MaxHeaps)
    return nullptr;
  PrivateHeap &H = Heaps[NumHeaps++];
  strncpy(H.Name, Name, sizeof(H.Name) - 1);
  return &H;
}

namespace {
/// The island of a binary that is loaded.
struct BinaryIsland {
  const link_map *Of; ///< null: free
  CodeIsland Island;
};
} // namespace
static constexpr size_t MaxIslands = 256;
static BinaryIsland Islands[MaxIslands];

static BinaryIsland *islandOf(const link_map *Map) {
  for (BinaryIsland &I : Islands)
    if (I.Of == Map)
      return &I;
  return nullptr;
}

/// No thread runs code of a binary that is gone.
static void dropIsland(const void *Gone) {
  if (BinaryIsland *I = islandOf(static_cast<const link_map *>(Gone))) {
    I->Island.drop();
    I->Of = nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Making the detours of a binary
//===----------------------------------------------------------------------===//

namespace {
/// A mapped binary.
struct BinaryRange {
  explicit BinaryRange(const link_map &M) : Bias(M.l_addr) {
    size_t Count = 0;
    // The first page of an executable that is not relocated is elsewhere.
    Start = M.l_addr ? M.l_addr : 0x400000;
    const Elf64_Phdr *P = programHeaders(Start, Count);
    for (size_t I = 0; P && I != Count; ++I)
      if (P[I].p_type == PT_LOAD)
        End = Bias + P[I].p_vaddr + P[I].p_memsz;
  }
  bool isFound() const { return End > Start; }
  bool has(uintptr_t Address, size_t Bytes) const {
    return Address >= Start && Address < End && Bytes <= End - Address;
  }

  uintptr_t Bias, Start, End = 0;
};

/// Makes detours that the recorder has planned. The recorder is not trusted:
/// what it writes is copied, and checked.
class DetourMaker {
public:
  /// IsLate: the jumps are not written, but entered in LateRows.
  DetourMaker(const link_map &Map, const BinaryRange &Of, bool IsLate)
      : Map(Map), Of(Of), IsLate(IsLate) {}
  void make(const DetourReply &R);

private:
  /// What lies in the island for a function.
  struct Stub {
    DetouredFunction Function;
    /// Sets the sixth argument to Function, and jumps to the hook.
    uint8_t ToHook[32];
    uint8_t Original[Detour::MaxMoved];
  };
  bool isSame(const DetourReply &R) const;
  static bool fits(const Detour &D, const DetourReply &R);
  uint8_t *fill(CodeIsland &In, const Detour &D, const DetourReply &R) const;

  void lead(const Detour &D, uint8_t *To) const;

  const link_map &Map;
  const BinaryRange &Of;
  const bool IsLate;
};
} // namespace

static constexpr uint32_t MaxLateRows = 1024;
static wire::CodePatchRow LateRows[MaxLateRows];
static uint32_t NumLateRows;

LatePatches capture::latePatches() { return {LateRows, NumLateRows}; }

bool DetourMaker::isSame(const DetourReply &R) const {
  BuildId Id = findBuildId(Of.Start, Of.End, Of.Bias);
  return Id.Size == R.BuildIdBytes && Id.Size <= sizeof(R.BuildId) &&
         memcmp(Id.At, R.BuildId, Id.Size) == 0;
}

/// Whether the processor keeps return addresses on a stack of its own, which a
/// moved call does not know.
static bool hasShadowStack() {
  constexpr long GetStatus = 0x5005; // ARCH_SHSTK_STATUS of <asm/prctl.h>
  uint64_t Features = 0;
  return !sys::failed(sys::call(SYS_arch_prctl, GetStatus, long(&Features))) &&
         Features & 1;
}

bool DetourMaker::fits(const Detour &D, const DetourReply &R) {
  constexpr uint8_t NumArguments = 5;
  auto IsArgument = [](uint8_t A) { return A < NumArguments; };
  auto MayBe = [](uint8_t A) {
    return A < NumArguments || A == wire::DetourCall::None;
  };
  const wire::DetourCall &C = D.Call;
  bool IsFree = C.Task >= wire::DetourTask::Free;
  bool HasBlock = C.Task != wire::DetourTask::Allocate;
  if (C.Task > wire::DetourTask::RunTest || !MayBe(C.Count) ||
      (!IsFree && !IsArgument(C.Size)) || (HasBlock && !IsArgument(C.Block)) ||
      D.Pool >= R.NumPools || D.NumReplaced > Detour::MaxReplaced ||
      D.NumMoved > Detour::MaxMoved || D.NumWords > Detour::MaxWords)
    return false;
  return std::all_of(D.Words, D.Words + D.NumWords, [&](const DetourWord &W) {
    size_t Bytes = W.isAddress() ? 8 : 4;
    return D.NumMoved >= Bytes && W.At <= D.NumMoved - Bytes &&
           W.End <= D.NumMoved && !(W.isAddress() && hasShadowStack());
  });
}

/// Writes a function's stub. Null: no room, or out of reach.
uint8_t *DetourMaker::fill(CodeIsland &In, const Detour &D,
                           const DetourReply &R) const {
  char Name[DetourReply::NameBytes];
  memcpy(Name, R.Pools[D.Pool], sizeof(Name));
  Name[sizeof(Name) - 1] = 0;
  PrivateHeap *Heap = heapOf(Name);
  uint8_t *Room = Heap ? In.take(sizeof(Stub)) : nullptr;
  if (!Room)
    return nullptr;
  Stub &S = *new (Room) Stub;
  S.Function = {uintptr_t(S.Original), Heap, D.Call};
  // movabs $Function, %r9; jmp *(next byte); the hook.
  static constexpr uint8_t Code[] = {0x49, 0xb9, 0,    0,    0, 0, 0, 0,
                                     0,    0,    0xff, 0x25, 0, 0, 0, 0};
  memcpy(S.ToHook, Code, sizeof(Code));
  uintptr_t Function = uintptr_t(&S.Function), Hook = hookOf(D.Call.Task);
  memcpy(S.ToHook + 2, &Function, sizeof(Function));
  memcpy(S.ToHook + sizeof(Code), &Hook, sizeof(Hook));
  memcpy(S.Original, D.Moved, D.NumMoved);
  for (size_t I = 0; I != D.NumWords; ++I) {
    const wire::DetourWord &W = D.Words[I];
    uintptr_t From = uintptr_t(S.Original) + W.End, To = Of.Bias + W.Target;
    if (!Of.has(To, 0) || !reaches(From, To))
      return nullptr;
    if (W.isAddress()) {
      memcpy(S.Original + W.At, &To, sizeof(To));
      continue;
    }
    int32_t Distance = int32_t(To - From);
    memcpy(S.Original + W.At, &Distance, sizeof(Distance));
  }
  return S.ToHook;
}

void DetourMaker::make(const DetourReply &R) {
  size_t Count = R.NumDetours < DetourReply::MaxDetours
                     ? R.NumDetours
                     : DetourReply::MaxDetours;
  BinaryIsland *Free = islandOf(nullptr);
  if (!Count || R.NumPools > DetourReply::MaxPools || !isSame(R) || !Free ||
      (IsLate && Count > MaxLateRows - NumLateRows))
    return;
  CodeIsland Island(Of.Start, Of.End, Count * (sizeof(Stub) + 16), IsLate);
  if (!Island.isMapped())
    return;
  uint8_t *To[DetourReply::MaxDetours] = {};
  for (size_t I = 0; I != Count; ++I) {
    const Detour &D = R.Detours[I];
    uintptr_t At = Of.Bias + D.At;
    if (fits(D, R) && Of.has(At, D.NumReplaced) &&
        memcmp(reinterpret_cast<void *>(At), D.Original, D.NumReplaced) == 0)
      To[I] = fill(Island, D, R);
  }
  if (!Island.seal())
    return;
  *Free = {&Map, Island};
  for (size_t I = 0; I != Count; ++I)
    if (To[I])
      lead(R.Detours[I], To[I]);
}

void DetourMaker::lead(const Detour &D, uint8_t *To) const {
  static_assert(Detour::MaxReplaced == wire::CodePatchRow::MaxBytes);
  uintptr_t At = Of.Bias + D.At;
  if (!IsLate) {
    writeJump(At, D.NumReplaced, uintptr_t(To));
    return;
  }
  wire::CodePatchRow &Row = LateRows[NumLateRows];
  Row = {At, D.NumReplaced, {}, {}};
  memcpy(Row.Original, D.Original, D.NumReplaced);
  NumLateRows += makeJump(Row.New, At, D.NumReplaced, uintptr_t(To));
}

//===----------------------------------------------------------------------===//
// Binaries with an allocator
//===----------------------------------------------------------------------===//

static bool isProgram(const link_map &M) { return !M.l_name || !*M.l_name; }

/// An allocator maps memory, and most binaries import no function for that.
static bool mapsMemory(const link_map &M) {
  bool Maps = false;
  Imports(&M).each([&](const Import &I) {
    Maps |= !strcmp(I.Name, "mmap") || !strcmp(I.Name, "mmap64");
  });
  return Maps;
}

/// Whether a binary may run tests of GoogleTest: it exports the function that
/// runs a test, or imports the functions with which GoogleTest matches regular
/// expressions and captures output.
static bool runsTests(const link_map &M, const BinaryRange &Of,
                      const char *Path, const Exports &Names) {
  if (Names.find("_ZN7testing8TestInfo3RunEv"))
    return true;
  bool HasExpressions = false, HasFiles = false;
  Imports(&M).each([&](const Import &I) {
    HasExpressions |= !strcmp(I.Name, "regexec");
    HasFiles |= !strcmp(I.Name, "mkstemp") || !strcmp(I.Name, "mkstemp64");
  });
  return HasExpressions && HasFiles && hasSection(Path, Of.Start, SHT_SYMTAB);
}

/// Whether a binary may have an allocator, or tests: most need no answer of the
/// recorder.
static bool mayNeedDetours(const link_map &M, const BinaryRange &Of,
                           const char *Path) {
  Exports Names(&M);
  // An executable's own malloc may call the kernel itself.
  if (isProgram(M) && Names.find("malloc"))
    return true;
  if (runsTests(M, Of, Path, Names))
    return true;
  return mapsMemory(M) &&
         (Names.hasNameEnd("mallocx") || Names.hasNameEnd("rpmalloc") ||
          hasSection(Path, Of.Start, SHT_SYMTAB));
}

/// Writes the path of the binary's file. False: it is unknown.
static bool pathOf(const link_map &M, const BinaryRange &Of, char *To,
                   size_t Room) {
  if (isProgram(M)) {
    long N = sys::readlink("/proc/self/exe", To, Room - 1);
    To[N > 0 ? N : 0] = 0;
    return N > 0;
  }
  if (*M.l_name != '/')
    return mappedPath(Of.Start, To, Room);
  size_t N = strnlen(M.l_name, Room);
  memcpy(To, M.l_name, N < Room ? N + 1 : 0);
  return N < Room;
}

/// The number of the path's text; 0: the binary needs no detours.
static uint32_t pathText(const link_map &M) {
  BinaryRange Of(M);
  char Path[wire::MaxTextBytes];
  if (!Of.isFound() || isOwnCode(uintptr_t(M.l_ld)) ||
      !pathOf(M, Of, Path, sizeof(Path)) || !mayNeedDetours(M, Of, Path))
    return 0;
  // A library that is opened again and again takes room for one text.
  return Proc.Names.intern(Path, strlen(Path));
}

/// The recorder's plan; null: there is none, or not in time. One thread at a
/// time.
static const DetourReply *planOf(uint32_t Text) {
  // As large as a reply: too much for the stack of some threads.
  static DetourReply Copy;
  wire::Reply Answer;
  if (!ask(wire::AskDetoursRecord{0, 0, Text}, Answer) ||
      Answer.NumHeaps == UINT32_MAX)
    return nullptr;
  memcpy(&Copy, &Proc.Ctl->Detours, sizeof(Copy));
  return &Copy;
}

static bool wantsDetours() {
  return recordingThread() && Proc.Ctl->Settings.Private;
}

static void detour(const link_map &M) {
  uint32_t Text = wantsDetours() ? pathText(M) : 0;
  const DetourReply *Plan = Text ? planOf(Text) : nullptr;
  if (Plan)
    DetourMaker(M, BinaryRange(M), /*IsLate=*/false).make(*Plan);
}

//===----------------------------------------------------------------------===//
// A program that ran before
//===----------------------------------------------------------------------===//

namespace {
/// A binary that may have an allocator, as it was when it was found.
struct LateBinary {
  const link_map *Map;
  uintptr_t Bias;
  uint32_t Text;
};
struct LateBinaries {
  static constexpr size_t Max = 64;
  LateBinary List[Max];
  size_t Size = 0;
};
struct PlannedBinary {
  const LateBinary &Of;
  const DetourReply &Plan;
};
} // namespace

static const r_debug *LateLists;

/// With the lock of the loader's list, so no binary goes meanwhile.
static int findLate(dl_phdr_info *, size_t, void *To) {
  auto &Found = *static_cast<LateBinaries *>(To);
  for (const link_map *M = LateLists ? LateLists->r_map : nullptr;
       M && Found.Size != LateBinaries::Max; M = M->l_next)
    if (!islandOf(M))
      if (uint32_t Text = pathText(*M))
        Found.List[Found.Size++] = {M, M->l_addr, Text};
  return 1;
}

/// As findLate(): the binary may have gone since.
static int makeLate(dl_phdr_info *, size_t, void *To) {
  auto &[Of, Plan] = *static_cast<const PlannedBinary *>(To);
  for (const link_map *M = LateLists->r_map; M; M = M->l_next)
    if (M == Of.Map && M->l_addr == Of.Bias)
      DetourMaker(*M, BinaryRange(*M), /*IsLate=*/true).make(Plan);
  return 1;
}

void capture::planLate() {
  LateBinaries Found;
  if (!wantsDetours())
    return;
  LateLists = static_cast<const r_debug *>(nextSymbol("_r_debug"));
  dl_iterate_phdr(findLate, &Found);
  for (size_t I = 0; I != Found.Size; ++I)
    if (const DetourReply *Plan = planOf(Found.List[I].Text)) {
      PlannedBinary Of{Found.List[I], *Plan};
      dl_iterate_phdr(makeLate, &Of);
    }
}

//===----------------------------------------------------------------------===//
// The source
//===----------------------------------------------------------------------===//

/// Whether the program has one thread: another one might run the code that is
/// about to change.
static bool isAlone() {
  struct stat S;
  // A folder has two links more than it has folders.
  return !sys::failed(sys::call(SYS_stat, long("/proc/self/task"), long(&S))) &&
         S.st_nlink == 3;
}

static void ready() {
  static bool IsWatching;
  if (IsWatching || Kept.IsLate || !Proc.Ctl->Settings.Private || !isAlone())
    return;
  IsWatching = watchLoader();
  if (IsWatching)
    eachLoaded(detour);
}

constinit const Source capture::DetourSource = {
    .Ready = ready,
    .Mapped =
        [](const void *Map) { detour(*static_cast<const link_map *>(Map)); },
    .Unmapped = dropIsland};
