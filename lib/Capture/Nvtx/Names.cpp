// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in NVTX.

#include "Nvtx/Names.h"

#include "Runtime/Thread.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::nvtx;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// Writes a character as UTF-8; returns the number of bytes, four at most.
static size_t encode(uint32_t C, char *To) {
  if (C < 0x80) {
    To[0] = char(C);
    return 1;
  }
  if ((C >= 0xd800 && C < 0xe000) || C > 0x10ffff)
    C = 0xfffd;
  size_t More = C < 0x800 ? 1 : C < 0x10000 ? 2 : 3;
  constexpr uint8_t Lead[] = {0, 0xc0, 0xe0, 0xf0};
  To[0] = char(Lead[More] | C >> (6 * More));
  for (size_t I = 1; I <= More; ++I)
    To[I] = char(0x80 | (C >> (6 * (More - I)) & 0x3f));
  return More + 1;
}

Words::Words(const char *Ascii) {
  if (!Ascii)
    return;
  Chars = Ascii;
  Bytes = strlen(Ascii);
}

Words::Words(const wchar_t *Wide) { set(Wide); }

void Words::set(const wchar_t *Wide) {
  constexpr size_t Longest = 4;
  Chars = Room;
  for (; Wide && *Wide && Bytes + Longest <= sizeof(Room); ++Wide)
    Bytes += encode(uint32_t(*Wide), Room + Bytes);
}

Words::Words(uint32_t Type, const Message &M)
    : Words(Type == MessageAscii ? M.Ascii : nullptr) {
  if (Type == MessageWide)
    set(M.Wide);
  const RegisteredName *N =
      Type == MessageRegistered ? nameOf(M.Registered) : nullptr;
  if (!N)
    return;
  Chars = N->Chars;
  Bytes = N->Bytes;
}

void Words::putInto(const RegisteredName *Domain) {
  if (!Domain)
    return;
  size_t Before = Domain->Bytes + 1;
  if (Before > sizeof(Room) / 2)
    Before = sizeof(Room) / 2;
  if (Bytes > sizeof(Room) - Before)
    Bytes = sizeof(Room) - Before;
  memmove(Room + Before, Chars, Bytes);
  memcpy(Room, Domain->Chars, Before - 1);
  Room[Before - 1] = ':';
  Bytes += Before;
  Chars = Room;
}

//===----------------------------------------------------------------------===//
// Registered names
//===----------------------------------------------------------------------===//

static constexpr uint32_t MaxNames = 16384, MaxFolded = MaxNames + 4096,
                          Slots = 2 * MaxNames;
static constexpr size_t ArenaBytes = 8 << 20;

/// The registry of the process and its children. Pages are allocated when used.
struct Registry {
  std::atomic<const RegisteredName *> Table[Slots];
  std::atomic<uint32_t> Count;
  std::atomic<size_t> Used;
  char Arena[ArenaBytes];
};
static std::atomic<Registry *> TheRegistry{nullptr};

static Registry *registry() {
  Registry *Is = TheRegistry.load(std::memory_order_acquire);
  if (Is)
    return Is;
  auto *New = static_cast<Registry *>(sys::map(
      sizeof(Registry), MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (!New ||
      TheRegistry.compare_exchange_strong(Is, New, std::memory_order_acq_rel))
    return New;
  sys::unmap(New, sizeof(Registry));
  return Is;
}

static const RegisteredName *make(Registry &R, const Words &W) {
  size_t Need = (sizeof(RegisteredName) + W.Bytes + 7) & ~size_t(7);
  size_t At = R.Used.load(std::memory_order_relaxed);
  do {
    if (Need > ArenaBytes - At)
      return nullptr;
  } while (!R.Used.compare_exchange_weak(At, At + Need));
  auto *N = reinterpret_cast<RegisteredName *>(R.Arena + At);
  N->Bytes = uint32_t(W.Bytes);
  memcpy(N->Chars, W.Chars, W.Bytes);
  return N;
}

static const RegisteredName *find(Registry &R, const Words &W, uint32_t Max) {
  uint64_t Hash = W.Bytes;
  for (size_t I = 0; I != W.Bytes; ++I)
    Hash = (Hash ^ uint8_t(W.Chars[I])) * 0x100000001b3ull;
  for (uint32_t I = uint32_t(Hash ^ Hash >> 32);; ++I) {
    std::atomic<const RegisteredName *> &Slot = R.Table[I % Slots];
    const RegisteredName *Is = Slot.load(std::memory_order_acquire);
    if (!Is) {
      if (R.Count.load(std::memory_order_relaxed) >= Max)
        return nullptr;
      const RegisteredName *New = make(R, W);
      // Another thread may have added the same name: look again.
      if (New &&
          !Slot.compare_exchange_strong(Is, New, std::memory_order_acq_rel)) {
        --I;
        continue;
      }
      R.Count.fetch_add(New != nullptr, std::memory_order_relaxed);
      return New;
    }
    if (Is->Bytes == W.Bytes && !memcmp(Is->Chars, W.Chars, W.Bytes))
      return Is;
  }
}

const RegisteredName *nvtx::registered(const Words &W) {
  Registry *R = registry();
  if (!R)
    return nullptr;
  Words Short("");
  Short.Bytes = W.Bytes < sizeof(Short.Room) ? W.Bytes : sizeof(Short.Room);
  Short.Chars = W.Chars;
  if (const RegisteredName *N = find(*R, Short, MaxNames))
    return N;
  Words Folded("");
  for (size_t I = 0; I != Short.Bytes; ++I) {
    bool Digit = Short.Chars[I] >= '0' && Short.Chars[I] <= '9';
    if (!Digit || !Folded.Bytes || Folded.Room[Folded.Bytes - 1] != '#')
      Folded.Room[Folded.Bytes++] = Digit ? '#' : Short.Chars[I];
  }
  Folded.Chars = Folded.Room;
  return find(*R, Folded, MaxFolded);
}

const RegisteredName *nvtx::nameOf(const void *Handle) {
  Registry *R = TheRegistry.load(std::memory_order_acquire);
  if (!R || !Handle)
    return nullptr;
  uintptr_t Offset = uintptr_t(Handle) - uintptr_t(R->Arena);
  bool Is = Offset < R->Used.load(std::memory_order_relaxed) && Offset % 8 == 0;
  return Is ? static_cast<const RegisteredName *>(Handle) : nullptr;
}

uint32_t nvtx::textOf(const RegisteredName &N) {
  uint32_t Epoch = uint32_t(Proc.Epoch.load(std::memory_order_relaxed));
  uint64_t Is = N.Text.load(std::memory_order_relaxed);
  if (__builtin_expect(uint32_t(Is >> 32) == Epoch, 1))
    return uint32_t(Is);
  uint32_t Text = Proc.Names.intern(N.Chars, N.Bytes);
  const_cast<RegisteredName &>(N).Text.store(uint64_t(Epoch) << 32 | Text,
                                             std::memory_order_relaxed);
  return Text;
}

uint32_t nvtx::textOf(const Words &W) {
  return Proc.Names.intern(W.Chars, W.Bytes);
}

uint32_t nvtx::textOf(const RegisteredName *Domain, uint32_t Type,
                      const Message &M) {
  if (Type == MessageRegistered)
    if (const RegisteredName *N = nameOf(M.Registered))
      return textOf(*N);
  Words W(Type, M);
  W.putInto(Domain);
  return textOf(W);
}
