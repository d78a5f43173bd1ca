// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scopes that a thread has open.

#include "ScopeStack.h"

using namespace memkit;
using namespace memkit::capture;

static constexpr size_t StackBytes = ScopeStack::MaxScopes * sizeof(OpenScope);

bool ScopeStack::takeMemory() {
  void *P =
      sys::map(StackBytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  Scopes = static_cast<OpenScope *>(P);
  return P;
}

void ScopeStack::release() {
  if (Scopes)
    sys::unmap(Scopes, StackBytes);
  *this = {};
}

/// Numbers of scopes rise within a ring, and are unique in the process.
uint64_t ScopeStack::newNumber() {
  constexpr uint64_t AtOnce = 1 << 16;
  if (__builtin_expect(NextNumber == EndNumber, 0)) {
    NextNumber = Kept.Scopes.fetch_add(AtOnce, std::memory_order_relaxed) + 1;
    EndNumber = NextNumber + AtOnce;
  }
  return NextNumber++;
}

void ScopeStack::open(ThreadState &T, const OpenScope &Of, uint32_t Text,
                      uint64_t Flags, uint64_t Detail) {
  if (Count == MaxScopes)
    return;
  OpenScope &New = Scopes[Count++];
  New = Of;
  New.Number = 0;
  if (!hasRoom(T))
    return;
  New.Number = newNumber();
  T.Ring.write(wire::ScopeBeginRecord{Text, Flags, New.Number, Detail},
               RingWriter::ClockRead::Early);
}

void ScopeStack::closeFrom(ThreadState &T, uint32_t First) {
  uint64_t Number = Scopes[First].Number;
  for (uint32_t I = First; !Number && ++I < Count;)
    Number = Scopes[I].Number;
  Count = First;
  if (Number && hasRoom(T))
    T.Ring.write(wire::ScopeEndRecord{Number}, RingWriter::ClockRead::Early);
}
