// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the detours of a binary.

#include "DetourMaker.h"

#include "PrivateBlocks.h"
#include "Runtime/Thread.h"
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

//===----------------------------------------------------------------------===//
// What is written over code of a program that ran before
//===----------------------------------------------------------------------===//

static constexpr uint32_t MaxLateRows = 1024;
static wire::CodePatchRow LateRows[MaxLateRows];
static uint32_t NumLateRows;

LatePatches capture::latePatches() { return {LateRows, NumLateRows}; }

wire::CodePatchRow *capture::newLateRow() {
  return NumLateRows == MaxLateRows ? nullptr : &LateRows[NumLateRows++];
}

/// Those of a binary that is gone.
static void dropLateRows(uintptr_t Start, uintptr_t End) {
  auto *Last = std::remove_if(
      LateRows, LateRows + NumLateRows,
      [=](const wire::CodePatchRow &R) { return R.At >= Start && R.At < End; });
  NumLateRows = uint32_t(Last - LateRows);
}

//===----------------------------------------------------------------------===//
// Islands
//===----------------------------------------------------------------------===//

namespace {
/// The island of a binary that is loaded.
struct BinaryIsland {
  const link_map *Of;   ///< null: free
  uintptr_t Start, End; ///< of the binary
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

bool capture::hasDetours(const link_map &Map) { return islandOf(&Map); }

static void drop(BinaryIsland &I) {
  dropLateRows(I.Start, I.End);
  I.Island.drop();
  I.Of = nullptr;
}

void capture::dropDetours(const link_map *Gone) {
  if (BinaryIsland *I = islandOf(Gone))
    drop(*I);
}

/// Whether the list has the binary of the island: another one may have its
/// link_map.
static bool isLoaded(const BinaryIsland &I, const link_map *First) {
  for (const link_map *M = First; M; M = M->l_next)
    if (M == I.Of)
      return BinaryRange(*M).Start == I.Start;
  return false;
}

void capture::dropDetoursOfGone(const link_map *First) {
  for (BinaryIsland &I : Islands)
    if (I.Of && !isLoaded(I, First))
      drop(I);
}

//===----------------------------------------------------------------------===//
// Making the detours of a binary
//===----------------------------------------------------------------------===//

namespace {
/// Makes detours that the recorder has planned. The recorder is not trusted:
/// what it writes is copied, and checked.
class DetourMaker {
public:
  DetourMaker(const link_map &Map, bool WritesJumps)
      : Map(Map), Of(Map), WritesJumps(WritesJumps) {}
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
  const BinaryRange Of;
  const bool WritesJumps;
};
} // namespace

BinaryRange::BinaryRange(const link_map &M) : Bias(M.l_addr) {
  size_t Count = 0;
  // The first page of an executable that is not relocated is elsewhere.
  Start = M.l_addr ? M.l_addr : 0x400000;
  const Elf64_Phdr *P = programHeaders(Start, Count);
  for (size_t I = 0; P && I != Count; ++I)
    if (P[I].p_type == PT_LOAD)
      End = Bias + P[I].p_vaddr + P[I].p_memsz;
}

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
  bool IsText = C.Task == wire::DetourTask::AllocateText;
  bool HasBlock = C.Task != wire::DetourTask::Allocate && !IsText;
  if (C.Task > wire::DetourTask::RunTest || !MayBe(C.Count) ||
      (!IsFree && !IsText && !IsArgument(C.Size)) ||
      (HasBlock && !IsArgument(C.Block)) || D.Pool >= R.NumPools ||
      D.NumReplaced > Detour::MaxReplaced || D.NumMoved > Detour::MaxMoved ||
      D.NumWords > Detour::MaxWords)
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
      (Kept.IsLate && Count > MaxLateRows - NumLateRows))
    return;
  CodeIsland Island(Of.Start, Of.End, Count * (sizeof(Stub) + 16),
                    /*Stays=*/Kept.IsLate);
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
  *Free = {&Map, Of.Start, Of.End, Island};
  for (size_t I = 0; I != Count; ++I)
    if (To[I])
      lead(R.Detours[I], To[I]);
}

void DetourMaker::lead(const Detour &D, uint8_t *To) const {
  static_assert(Detour::MaxReplaced == wire::CodePatchRow::MaxBytes);
  uintptr_t At = Of.Bias + D.At;
  uint8_t Jump[Detour::MaxReplaced];
  if (!makeJump(Jump, At, D.NumReplaced, uintptr_t(To)))
    return;
  if (wire::CodePatchRow *Row = Kept.IsLate ? newLateRow() : nullptr) {
    *Row = {At, D.NumReplaced, /*IsLoader=*/0, {}, {}};
    memcpy(Row->Original, D.Original, D.NumReplaced);
    memcpy(Row->New, Jump, D.NumReplaced);
  }
  if (WritesJumps)
    writeJump(At, D.NumReplaced, uintptr_t(To));
}

void capture::makeDetours(const link_map &Map, const DetourReply &Plan,
                          bool WritesJumps) {
  DetourMaker(Map, WritesJumps).make(Plan);
}
