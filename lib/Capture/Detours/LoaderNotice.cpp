// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loader's notice of libraries that it has mapped.

#include "LoaderNotice.h"

#include "CodePatch.h"
#include "Runtime/Source.h"
#include "Runtime/Symbols.h"

#include <cstring>
#include <utility>

using namespace memkit;
using namespace memkit::capture;

namespace {
/// A binary that was there at a notice. Another binary may get the link_map of
/// one that was unloaded, but not between two notices.
struct SeenBinary {
  const link_map *Map;
  uintptr_t Bias;

  bool is(const link_map &M) const { return Map == &M && Bias == M.l_addr; }
};

/// All binaries at a notice, in the loader's order.
struct SeenBinaries {
  static constexpr size_t Max = 4096;
  SeenBinary List[Max];
  size_t Size;
};

/// Children of fork keep this.
struct LoaderWatch {
  const r_debug *Lists;
  bool IsOn;
  SeenBinaries Seen[2]; ///< now, and at the notice before
  size_t Now;
};
} // namespace

static LoaderWatch Watch;

static void noteGone(const SeenBinaries &Of, size_t Begin, size_t End) {
  for (size_t I = Begin; Watch.IsOn && I < End; ++I) {
    const void *Map = Of.List[I].Map;
    forSources(&Source::Unmapped, Map);
  }
}

/// The loader appends what it loads to its list. In a program with more than
/// Max binaries, no further ones are found.
static void compareLists() {
  const SeenBinaries &Was = Watch.Seen[Watch.Now];
  SeenBinaries &Is = Watch.Seen[Watch.Now ^= 1];
  Is.Size = 0;
  size_t At = 0;
  for (const link_map *M = Watch.Lists->r_map;
       M && Is.Size != SeenBinaries::Max; M = M->l_next) {
    size_t Same = At;
    while (Same != Was.Size && !Was.List[Same].is(*M))
      ++Same;
    bool IsNew = Same == Was.Size;
    if (!IsNew) {
      noteGone(Was, At, Same);
      At = Same + 1;
    }
    Is.List[Is.Size++] = {M, M->l_addr};
    if (IsNew) {
      // Nothing of before follows: what is new may have the place of what went.
      noteGone(Was, std::exchange(At, Was.Size), Was.Size);
      const void *Map = M;
      if (Watch.IsOn)
        forSources(&Source::Mapped, Map);
    }
  }
  noteGone(Was, At, Was.Size);
}

static void noticed() {
  if (Watch.Lists->r_state == r_debug::RT_CONSISTENT)
    compareLists();
}

/// Whether code at \p At returns at once, and bytes that fill the space up to
/// the next function follow. Sets \p Ret to the return.
static bool isEmpty(const uint8_t *At, const uint8_t *&Ret) {
  static constexpr uint8_t Landing[] = {0xf3, 0x0f, 0x1e, 0xfa};
  Ret = At + (memcmp(At, Landing, sizeof(Landing)) == 0 ? sizeof(Landing) : 0);
  constexpr uintptr_t Alignment = 16;
  uintptr_t End = (uintptr_t(At) + Alignment) & ~(Alignment - 1);
  if (*Ret != 0xc3 || End - uintptr_t(Ret) < 5)
    return false;
  // The first byte of an instruction that does nothing, or of none.
  static constexpr uint8_t Fills[] = {0x66, 0x0f, 0x90, 0xcc, 0x2e, 0x00};
  return memchr(Fills, Ret[1], sizeof(Fills));
}

bool capture::watchLoader() {
  if (Watch.IsOn)
    return true;
  Watch.Lists = static_cast<const r_debug *>(nextSymbol("_r_debug"));
  if (!Watch.Lists || !Watch.Lists->r_brk)
    return false;
  const uint8_t *Ret;
  uintptr_t At = Watch.Lists->r_brk;
  if (!isEmpty(reinterpret_cast<const uint8_t *>(At), Ret))
    return false;
  // jmp *(next byte); the address.
  uint8_t Way[14] = {0xff, 0x25};
  uintptr_t To = uintptr_t(&noticed);
  memcpy(Way + 6, &To, sizeof(To));
  CodeIsland Island(At, At + 16, sizeof(Way));
  uint8_t *Room = Island.isMapped() ? Island.take(sizeof(Way)) : nullptr;
  if (!Room)
    return false;
  memcpy(Room, Way, sizeof(Way));
  if (!Island.seal())
    return false;
  compareLists(); // What is there now is not new.
  if (!writeJump(uintptr_t(Ret), 5, uintptr_t(Room)))
    return false;
  Watch.IsOn = true;
  return true;
}

void capture::eachLoaded(void (*Do)(const link_map &)) {
  for (const link_map *M = Watch.Lists ? Watch.Lists->r_map : nullptr; M;
       M = M->l_next)
    Do(*M);
}
