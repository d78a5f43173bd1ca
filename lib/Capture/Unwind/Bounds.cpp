// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readable memory around a stack pointer.

#include "Bounds.h"

using namespace memkit;
using namespace memkit::capture;

/// A larger stack is not accepted as a thread's own.
static constexpr uintptr_t MaxStack = 1ull << 30;
/// The maximum growth of a stack between two checks: bounds the check of each
/// page to some milliseconds.
static constexpr uintptr_t MaxGrowth = 64ull << 20;

static uintptr_t pageOf(uintptr_t Address) {
  return Address & ~(StackPage - 1);
}

uintptr_t capture::readableUpTo(uintptr_t From, uintptr_t Limit) {
  for (uintptr_t P = pageOf(From) + StackPage; P < Limit; P += StackPage)
    if (!isReadable(P))
      return P;
  return Limit;
}

bool capture::allReadable(uintptr_t From, uintptr_t To) {
  // From above: a guard page is at the low end.
  for (uintptr_t P = pageOf(To - 1); P >= pageOf(From); P -= StackPage)
    if (!isReadable(P))
      return false;
  return true;
}

static uintptr_t controlBlock() {
  uintptr_t Self;
  asm("mov %%fs:0x10, %0" : "=r"(Self));
  return Self;
}

bool capture::findOwnStack(uintptr_t Sp, uintptr_t StackEnd, StackRange &Own) {
  const uintptr_t Ends[] = {controlBlock(), StackEnd};
  for (uintptr_t End : Ends)
    if (Sp < End && End - Sp < MaxStack && allReadable(Sp, End)) {
      Own = {pageOf(Sp), End & ~uintptr_t(7)};
      return true;
    }
  return false;
}

bool capture::growDown(uintptr_t Sp, StackRange &Own) {
  if (Sp >= Own.Lo || Own.Lo - Sp > MaxGrowth || !allReadable(Sp, Own.Lo))
    return false;
  Own.Lo = pageOf(Sp);
  return true;
}
