// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces code of a program that runs.

#include "Attach/CodePatches.h"
#include "Attach/StoppedProcess.h"
#include "Attach/TargetThread.h"
#include "Shared/TargetMemory.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <ctime>

using namespace llvm;
using namespace memkit;
using wire::CodePatchRow;

static constexpr uint32_t MaxRows = 4096;

static bool isSound(const CodePatchRow &R) {
  return R.Bytes >= CodePatchRow::LeastBytes &&
         R.Bytes <= CodePatchRow::MaxBytes && R.At && R.At >> 56 == 0;
}

CodePatches::CodePatches(const TargetMemory &Memory, uint64_t At,
                         uint32_t Count)
    : Memory(Memory) {
  Rows.resize(std::min(Count, MaxRows));
  if (!Memory.read(At, Rows.data(), Rows.size() * sizeof(CodePatchRow)))
    Rows.clear();
  erase_if(Rows, [](const CodePatchRow &R) { return !isSound(R); });
  llvm::sort(Rows, [](const CodePatchRow &A, const CodePatchRow &B) {
    return A.At < B.At;
  });
}

/// Whether code there is between the first and the last byte of a row: the
/// first byte begins the old code and the new.
bool CodePatches::isInside(uint64_t Address) const {
  auto It = partition_point(
      Rows, [=](const CodePatchRow &R) { return R.At < Address; });
  return It != Rows.begin() &&
         Address < std::prev(It)->At + std::prev(It)->Bytes;
}

/// A call among the first instructions, or a signal that has come there, leaves
/// an address on the stack. One that was left over only costs a turn.
bool CodePatches::hasThreadInside(const StoppedProcess &P) const {
  constexpr uint64_t MaxStack = 8 << 20, RedZone = 128;
  std::vector<TargetMap> Maps = Memory.maps();
  return any_of(P.threads(), [&](const std::unique_ptr<TargetThread> &T) {
    TargetRegisters R;
    // A thread that does not stop may be anywhere.
    if (!T->get(R) || isInside(R.rip))
      return true;
    uint64_t From = (R.rsp - RedZone) & ~uint64_t(7);
    const TargetMap *M = mapAt(Maps, From);
    if (!M)
      return true;
    std::vector<uint8_t> Stack =
        Memory.readUpTo(From, std::min(M->End - From, MaxStack));
    ArrayRef<uint64_t> Words(reinterpret_cast<const uint64_t *>(Stack.data()),
                             Stack.size() / sizeof(uint64_t));
    return any_of(Words, [this](uint64_t W) { return isInside(W); });
  });
}

static uint64_t nowMs() {
  timespec T = {};
  clock_gettime(CLOCK_MONOTONIC, &T);
  return uint64_t(T.tv_sec) * 1000 + uint64_t(T.tv_nsec) / 1'000'000;
}

/// Whether the row's code is there.
bool CodePatches::hasCode(const CodePatchRow &R, const uint8_t *Code) const {
  uint8_t Is[CodePatchRow::MaxBytes];
  return Memory.read(R.At, Is, R.Bytes) && std::equal(Is, Is + R.Bytes, Code);
}

/// False: a thread is inside.
Expected<bool> CodePatches::tryWrite(bool IsNew, PatchResult &Done) const {
  Expected<StoppedProcess> P = StoppedProcess::stop(Memory.pid());
  if (!P)
    return P.takeError();
  if (IsNew && hasThreadInside(*P))
    return false;
  // A binary may have gone since, and another be there.
  for (const CodePatchRow &R : Rows)
    if (hasCode(R, IsNew ? R.Original : R.New))
      Done.Functions +=
          Memory.write(R.At, ArrayRef(IsNew ? R.New : R.Original, R.Bytes)) &&
          !R.IsLoader;
  Done.StandNs = P->standsNs();
  return true;
}

Expected<CodePatches::PatchResult> CodePatches::write(bool IsNew) {
  constexpr uint64_t LongestMs = 5'000;
  erase_if(Rows, [&](const CodePatchRow &R) {
    return !hasCode(R, IsNew ? R.Original : R.New);
  });
  PatchResult Done;
  if (Rows.empty())
    return Done;
  long NapMs = 1;
  for (uint64_t Begin = nowMs(); nowMs() - Begin < LongestMs;) {
    if (Expected<bool> IsDone = tryWrite(IsNew, Done); !IsDone)
      return IsDone.takeError();
    else if (*IsDone)
      return Done;
    constexpr long MostMs = 100;
    NapMs = std::min(NapMs * 2, MostMs);
    timespec Nap{0, NapMs * 1'000'000};
    nanosleep(&Nap, nullptr);
  }
  return makeError("has a thread that stays in an allocator's first "
                   "instructions, so private allocators are not recorded");
}
