// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that the library writes.

#include "CodePatch.h"

#include "Runtime/Syscall.h"

#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>

using namespace memkit;
using namespace memkit::capture;

/// Since Linux 4.17; an earlier kernel takes the address as a hint.
static constexpr long FixedNoReplace = 0x100000;
static constexpr uintptr_t PageMask = 4095;

/// Tries to map memory at \p At alone.
static bool mapAt(uintptr_t At, size_t Bytes, bool Stays) {
  long P = sys::call(SYS_mmap, long(At), long(Bytes), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | FixedNoReplace, -1, 0);
  if (sys::failed(P))
    return false;
  if (uintptr_t(P) != At) {
    sys::call(SYS_munmap, P, long(Bytes));
    return false;
  }
  if (sys::NoteOwn && !Stays)
    sys::NoteOwn(reinterpret_cast<void *>(At), Bytes);
  return true;
}

CodeIsland::CodeIsland(uintptr_t Begin, uintptr_t End, size_t Bytes,
                       bool Stays) {
  Bytes = (Bytes + PageMask) & ~PageMask;
  // Not beside the binary: the loader likes to map the next one there.
  constexpr uintptr_t First = 64 << 20, Step = 1 << 20, Reach = 0x7ff00000;
  for (uintptr_t Far = First; Far < Reach; Far += Step) {
    uintptr_t Above = (End + Far) & ~PageMask,
              Below = (Begin - Far) & ~PageMask;
    if (Above + Bytes - Begin < Reach && mapAt(Above, Bytes, Stays))
      Start = Above;
    else if (Begin > Far && End - Below < Reach && mapAt(Below, Bytes, Stays))
      Start = Below;
    if (Start)
      break;
  }
  Next = Start;
  Limit = Start + (Start ? Bytes : 0);
}

uint8_t *CodeIsland::take(size_t Bytes) {
  Bytes = (Bytes + 15) & ~size_t(15);
  if (Bytes > Limit - Next)
    return nullptr;
  uintptr_t At = Next;
  Next += Bytes;
  return reinterpret_cast<uint8_t *>(At);
}

bool CodeIsland::seal() {
  if (!sys::failed(sys::call(SYS_mprotect, long(Start), long(Limit - Start),
                             PROT_READ | PROT_EXEC)))
    return true;
  drop();
  return false;
}

void CodeIsland::drop() {
  if (Start)
    sys::unmap(reinterpret_cast<void *>(Start), Limit - Start);
  Start = Next = Limit = 0;
}

bool capture::makeJump(uint8_t *Out, uintptr_t At, size_t Bytes, uintptr_t To) {
  constexpr size_t JumpBytes = 5;
  if (Bytes < JumpBytes || !reaches(At + JumpBytes, To))
    return false;
  int32_t Distance = int32_t(To - (At + JumpBytes));
  Out[0] = 0xe9;
  memcpy(Out + 1, &Distance, sizeof(Distance));
  memset(Out + JumpBytes, 0x90, Bytes - JumpBytes);
  return true;
}

bool capture::writeJump(uintptr_t At, size_t Bytes, uintptr_t To) {
  uint8_t Jump[64];
  if (Bytes > sizeof(Jump) || !makeJump(Jump, At, Bytes, To))
    return false;
  uintptr_t Page = At & ~PageMask;
  long Pages = long(((At + Bytes + PageMask) & ~PageMask) - Page);
  // Other functions of the page may run.
  if (sys::failed(sys::call(SYS_mprotect, long(Page), Pages,
                            PROT_READ | PROT_WRITE | PROT_EXEC)))
    return false;
  memcpy(reinterpret_cast<void *>(At), Jump, Bytes);
  sys::call(SYS_mprotect, long(Page), Pages, PROT_READ | PROT_EXEC);
  return true;
}
