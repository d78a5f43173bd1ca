// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loader's notice of libraries that it has mapped.

#include "LoaderNotice.h"

#include "CodePatch.h"
#include "Runtime/Source.h"
#include "Runtime/Symbols.h"

#include <atomic>
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
  /// Twice the number of notices, plus 1 if sources are told.
  std::atomic<uint64_t> Notices;
  SeenBinaries Seen[2]; ///< now, and at the notice before
  size_t Now;
  /// What memrec is to write over in a program that ran before; 0: nothing.
  uintptr_t LateAt;

  bool isOn() const { return Notices.load() & 1; }
};
} // namespace

static LoaderWatch Watch;

static void noteGone(const SeenBinaries &Of, size_t Begin, size_t End,
                     bool Tells) {
  for (size_t I = Begin; Tells && I < End; ++I) {
    const void *Map = Of.List[I].Map;
    forSources(&Source::Unmapped, Map);
  }
}

/// The loader appends what it loads to its list. In a program with more than
/// Max binaries, no further ones are found.
static void compareLists(bool Tells) {
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
      noteGone(Was, At, Same, Tells);
      At = Same + 1;
    }
    Is.List[Is.Size++] = {M, M->l_addr};
    if (IsNew) {
      // Nothing of before follows: what is new may have the place of what went.
      noteGone(Was, std::exchange(At, Was.Size), Was.Size, Tells);
      const void *Map = M;
      if (Tells)
        forSources(&Source::Mapped, Map);
    }
  }
  noteGone(Was, At, Was.Size, Tells);
}

/// With the loader's lock.
static void noticed() {
  constexpr uint64_t One = 2;
  if (Watch.Notices.fetch_add(One) & 1 &&
      Watch.Lists->r_state == r_debug::RT_CONSISTENT)
    compareLists(/*Tells=*/true);
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

namespace {
/// A jump from the loader's empty function here.
struct Notice {
  uintptr_t At; ///< 0: none is possible
  uintptr_t To; ///< code within reach
};
} // namespace

/// Stays: see CodeIsland.
static Notice makeNotice(bool Stays) {
  Watch.Lists = static_cast<const r_debug *>(nextSymbol("_r_debug"));
  if (!Watch.Lists || !Watch.Lists->r_brk)
    return {};
  const uint8_t *Ret;
  uintptr_t At = Watch.Lists->r_brk;
  if (!isEmpty(reinterpret_cast<const uint8_t *>(At), Ret))
    return {};
  // jmp *(next byte); the address.
  uint8_t Way[14] = {0xff, 0x25};
  uintptr_t To = uintptr_t(&noticed);
  memcpy(Way + 6, &To, sizeof(To));
  CodeIsland Island(At, At + 16, sizeof(Way), Stays);
  uint8_t *Room = Island.isMapped() ? Island.take(sizeof(Way)) : nullptr;
  if (!Room)
    return {};
  memcpy(Room, Way, sizeof(Way));
  if (!Island.seal())
    return {};
  return {uintptr_t(Ret), uintptr_t(Room)};
}

static constexpr uint32_t JumpBytes = 5;
static constexpr uint8_t JumpCode = 0xe9;

bool capture::watchLoader() {
  if (Watch.isOn())
    return true;
  Notice N = makeNotice(/*Stays=*/false);
  if (!N.At)
    return false;
  compareLists(/*Tells=*/false); // What is there now is not new.
  if (!writeJump(N.At, JumpBytes, N.To))
    return false;
  Watch.Notices.fetch_or(1);
  return true;
}

bool capture::planLoaderWatch(wire::CodePatchRow &Row) {
  Notice N = makeNotice(/*Stays=*/true);
  if (!N.At || !makeJump(Row.New, N.At, JumpBytes, N.To))
    return false;
  memcpy(Row.Original, reinterpret_cast<const void *>(N.At), JumpBytes);
  Row.At = N.At;
  Row.Bytes = JumpBytes;
  Row.IsLoader = true;
  Watch.LateAt = N.At;
  return true;
}

void capture::renewLoaderWatch() { Watch.Notices.fetch_and(~uint64_t(1)); }

/// With the lock of the loader's list. A notice that comes meanwhile may be of
/// a binary that the comparison has missed, and whose code then runs: again.
static int beginWatch(dl_phdr_info *, size_t, void *) {
  for (int Turn = 0; Turn != 8; ++Turn) {
    uint64_t Is = Watch.Notices.load();
    if (Is & 1)
      break;
    compareLists(/*Tells=*/false);
    if (Watch.Notices.compare_exchange_strong(Is, Is | 1))
      break;
  }
  return 1;
}

void capture::beginLoaderWatch() {
  // memrec writes the jump from outside.
  if (Watch.LateAt && !Watch.isOn() &&
      *reinterpret_cast<const volatile uint8_t *>(Watch.LateAt) == JumpCode)
    dl_iterate_phdr(beginWatch, nullptr);
}

void capture::eachLoaded(void (*Do)(const link_map &)) {
  for (const link_map *M = Watch.Lists ? Watch.Lists->r_map : nullptr; M;
       M = M->l_next)
    Do(*M);
}
