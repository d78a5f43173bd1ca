// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that a call instruction calls.

#include "Calls.h"

#include "Codes.h"
#include "Unwind/Bounds.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

/// Reads \p Bytes of code. False: not readable, as in an execute-only segment.
static bool readCode(uintptr_t Address, void *To, size_t Bytes) {
  if (!Stacks.Bins.binaryOf(Address) || !isReadable(Address & ~uintptr_t(7)) ||
      !isReadable((Address + Bytes - 1) & ~uintptr_t(7)))
    return false;
  memcpy(To, reinterpret_cast<const void *>(Address), Bytes);
  return true;
}

/// The target of the instruction \p Op at \p Address, which ends with a 32-bit
/// offset.
static uintptr_t relative(uintptr_t Address, const uint8_t *Op, size_t Bytes) {
  int32_t Offset;
  memcpy(&Offset, Op + Bytes - sizeof(Offset), sizeof(Offset));
  return Address + Bytes + uintptr_t(intptr_t(Offset));
}

/// The target of the stub at \p Address; \p Address itself: no stub; 0: not
/// readable.
static uintptr_t behindStub(uintptr_t Address) {
  constexpr uint8_t Endbr64[] = {0xF3, 0x0F, 0x1E, 0xFA};
  constexpr uint8_t JumpByMemory[] = {0xFF, 0x25}, Bnd = 0xF2, Jump = 0xE9;
  constexpr size_t MaxBytes = sizeof(Endbr64) + 1 + 6;
  uint8_t Code[MaxBytes];
  if (!readCode(Address, Code, MaxBytes))
    return 0;
  size_t At = memcmp(Code, Endbr64, sizeof(Endbr64)) ? 0 : sizeof(Endbr64);
  At += Code[At] == Bnd;
  if (Code[At] == Jump)
    return relative(Address + At, Code + At, 5);
  if (memcmp(Code + At, JumpByMemory, sizeof(JumpByMemory)))
    return Address;
  uintptr_t Pointer = relative(Address + At, Code + At, 6), Target;
  if (Pointer % 8 || !isReadable(Pointer))
    return 0;
  memcpy(&Target, reinterpret_cast<const void *>(Pointer), sizeof(Target));
  return Target;
}

/// The function called by the call before \p Return; 0: a call by pointer, or
/// no call.
static uintptr_t calledFunction(uintptr_t Return) {
  constexpr uint8_t Call = 0xE8;
  constexpr size_t Bytes = 5;
  // With Intel's IBT a call passes two stubs: the second jumps by the pointer.
  constexpr unsigned MaxStubs = 4;
  uint8_t Code[Bytes];
  if (!readCode(Return - Bytes, Code, Bytes) || Code[0] != Call)
    return 0;
  uintptr_t Target = relative(Return - Bytes, Code, Bytes);
  for (unsigned I = 0; I < MaxStubs && Target; ++I) {
    uintptr_t Next = behindStub(Target);
    if (Next == Target)
      return Target;
    Target = Next;
  }
  return 0;
}

bool capture::callsCodeWithTables(uintptr_t Return) {
  constexpr uint64_t No = 1, Yes = 2;
  if (!Stacks.Calls.begin())
    return false;
  CodeWord W = Stacks.Calls.find(Return);
  if (!W) {
    uintptr_t Function = calledFunction(Return);
    W = CodeWord(Function && hasTables(Function) ? Yes : No);
    Stacks.Calls.insert(Return, W);
  }
  return W.bits() == Yes;
}
