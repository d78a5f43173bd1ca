// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binaries that own addresses.

#include "Binaries.h"

#include "InterpreterFrames.h"
#include "MappedElf.h"
#include "MappedPath.h"
#include "Runtime/Source.h"
#include "SectionFile.h"

#include <cstring>
#include <elf.h>
#include <link.h>

using namespace memkit;
using namespace memkit::capture;

bool Binaries::begin(int Fd, const wire::Regions &R, wire::Control &C,
                     FindObjectFn Find) {
  Ctl = &C;
  FindObject = Find;
  MaxKnown = R.MaxBinaries;
  List = static_cast<KnownBinary *>(
      sys::mapPrivate(sizeof(KnownBinary) * MaxKnown));
  return List && Table.begin(Fd, R.Binaries, R.MaxBinaries);
}

extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));
extern "C" const char _end[] __attribute__((visibility("hidden")));

bool capture::isOwnCode(uintptr_t Pc) {
  return Pc - uintptr_t(__ehdr_start) <
         uintptr_t(_end) - uintptr_t(__ehdr_start);
}

uint32_t Binaries::next() const {
  uint32_t Next = Ctl->NextBinary.load(std::memory_order_acquire);
  return Next < MaxKnown ? Next : MaxKnown;
}

uint32_t Binaries::binaryOf(uint64_t Pc) {
  for (;;) {
    uint32_t Seen = NumFreed.load(std::memory_order_acquire), Id;
    FoundObject O;
    if (!FindObject || FindObject(reinterpret_cast<void *>(Pc), &O) != 0)
      return 0;
    if ((Id = findKnown(O)) || add(O, Seen, Id))
      return Id;
  }
}

uint32_t Binaries::findKnown(const FoundObject &O) {
  auto Is = [&](const KnownBinary &K) {
    return K.Live.load(std::memory_order_acquire) && K.LinkMap == O.LinkMap &&
           K.Start == uint64_t(O.MapStart);
  };
  std::atomic<uint32_t> &Hint = hint(O.LinkMap);
  uint32_t Last = Hint.load(std::memory_order_relaxed);
  if (Last && Is(List[Last]))
    return Last;
  for (uint32_t Id = next(); Id-- > 1;)
    if (Is(List[Id])) {
      Hint.store(Id, std::memory_order_relaxed);
      return Id;
    }
  return 0;
}

static void copyPath(wire::MappedBinary &M, const char *Name) {
  if (!Name || !*Name) { // The loader has no name for the executable.
    long N = sys::readlink("/proc/self/exe", M.Path, sizeof(M.Path) - 1);
    M.Path[N > 0 ? N : 0] = 0;
    return;
  }
  // The name is relative to a folder that the program may leave.
  if (*Name != '/' && mappedPath(M.Start, M.Path, sizeof(M.Path)))
    return;
  size_t N = strnlen(Name, sizeof(M.Path) - 1);
  memcpy(M.Path, Name, N);
  M.Path[N] = 0;
}

/// Does the loader's \p Name name the binary M, of the same build-id? Compares
/// the last part of a relative name.
static bool isNamed(const wire::MappedBinary &M, const char *Name) {
  if (*Name == '/')
    return strncmp(M.Path, Name, sizeof(M.Path)) == 0;
  auto Last = [](const char *Path) {
    const char *Slash = strrchr(Path, '/');
    return Slash ? Slash + 1 : Path;
  };
  return strcmp(Last(M.Path), Last(Name)) == 0;
}

static void findTables(const wire::MappedBinary &M, const link_map *Map,
                       EhFrame &Tables) {
  size_t Count = 0;
  const Elf64_Phdr *Headers = programHeaders(M.Start, Count);
  if (!Headers || findEhFrame(Headers, Count, Map->l_addr, Tables))
    return;
  bool IsProgram = !Map->l_name || !*Map->l_name;
  AddressRange Section = findSection(IsProgram ? "/proc/self/exe" : Map->l_name,
                                     M.Start, ".eh_frame");
  Section.Start += Map->l_addr;
  Section.End += Map->l_addr;
  findEhFrame(Headers, Count, Map->l_addr, Section, Tables);
}

void Binaries::enter(uint32_t Id, wire::MappedBinary &M, const FoundObject &O) {
  auto *Map = static_cast<link_map *>(O.LinkMap);
  M.Start = uint64_t(O.MapStart);
  M.End = uint64_t(O.MapEnd);
  M.Bias = Map->l_addr;
  copyPath(M, Map->l_name);
  BuildId Build = findBuildId(M.Start, M.End, M.Bias);
  M.BuildIdSize = Build.Size;
  if (Build.Size)
    memcpy(M.BuildId, Build.At, Build.Size);
  M.State.store(uint32_t(wire::BinaryState::Mapped), std::memory_order_release);
  KnownBinary &K = List[Id];
  K.Start = M.Start;
  K.End = M.End;
  K.LinkMap = O.LinkMap;
  K.FirstCode = Ctl->NextCode.load(std::memory_order_acquire);
  K.EndCode = 0;
  findTables(M, Map, K.Tables);
  interpreter::noteBinary({M.Start, M.End}, O.LinkMap, K.Tables);
  const void *Found = O.LinkMap;
  forSources(&Source::FoundBinary, Found);
  K.Live.store(1, std::memory_order_release);
  Ctl->NextBinary.store(Id + 1, std::memory_order_release);
}

/// The id of a binary that was unloaded and is loaded again; 0: a new binary.
uint32_t Binaries::resume(const FoundObject &O) {
  auto *Map = static_cast<link_map *>(O.LinkMap);
  uint64_t Start = uint64_t(O.MapStart), End = uint64_t(O.MapEnd);
  BuildId Build = {nullptr, 0};
  for (uint32_t Id = next(); Id-- > 1;) {
    KnownBinary &K = List[Id];
    if (K.Live.load(std::memory_order_acquire) || K.Start != Start ||
        K.End != End)
      continue;
    wire::MappedBinary *M = Table.get(Id);
    if (!Build.Size)
      Build = findBuildId(Start, End, Map->l_addr);
    if (!M || !Build.Size || M->Bias != Map->l_addr ||
        M->BuildIdSize != Build.Size ||
        memcmp(M->BuildId, Build.At, Build.Size) != 0 || !Map->l_name ||
        !isNamed(*M, Map->l_name))
      continue;
    K.LinkMap = O.LinkMap;
    M->State.store(uint32_t(wire::BinaryState::Mapped),
                   std::memory_order_release);
    K.Live.store(1, std::memory_order_release);
    return Id;
  }
  return 0;
}

/// Called with signals blocked: a handler must not wait for a lock of its own
/// thread. False: the lock was not released in time.
bool Binaries::lock() {
  for (unsigned Tries = 0; Lock.exchange(1, std::memory_order_acquire);
       ++Tries) {
    if (Tries == 10000)
      return false;
    sys::sleepMicroseconds(50);
  }
  return true;
}

/// Adds a binary if it is new. False: a binary has been unloaded since \p Seen
/// was read, perhaps this one; ask the loader again.
bool Binaries::add(const FoundObject &O, uint32_t Seen, uint32_t &Id) {
  sys::SignalBlock Block;
  Id = 0;
  if (!lock())
    return true;
  bool IsGood = NumFreed.load(std::memory_order_acquire) == Seen;
  if (IsGood && !(Id = findKnown(O)) && !(Id = resume(O))) {
    uint32_t Next = Ctl->NextBinary.load(std::memory_order_relaxed);
    if (wire::MappedBinary *M = Next < MaxKnown ? Table.get(Next) : nullptr) {
      enter(Next, *M, O);
      Id = Next;
    }
  }
  Lock.store(0, std::memory_order_release);
  return IsGood;
}

bool Binaries::stillThere(const KnownBinary &K) const {
  FoundObject O;
  return FindObject && FindObject(reinterpret_cast<void *>(K.Start), &O) == 0 &&
         O.LinkMap == K.LinkMap && uint64_t(O.MapStart) == K.Start &&
         uint64_t(O.MapEnd) == K.End;
}

bool Binaries::mark(uint32_t Id, AddressRange &Where) {
  KnownBinary &K = List[Id];
  uint32_t Live = 1;
  K.EndCode = Ctl->NextCode.load(std::memory_order_acquire);
  if (!K.Live.compare_exchange_strong(Live, 0, std::memory_order_acq_rel))
    return false;
  Where = {K.Start, K.End};
  if (wire::MappedBinary *M = Table.get(Id))
    M->State.store(uint32_t(wire::BinaryState::Unmapped),
                   std::memory_order_release);
  return true;
}

bool Binaries::markGone(const void *LinkMap, AddressRange &Where) {
  sys::SignalBlock Block;
  bool HasLock = lock(), Marked = false;
  NumFreed.fetch_add(1, std::memory_order_acq_rel);
  for (uint32_t Id = next(); !Marked && Id-- > 1;)
    if (List[Id].LinkMap == LinkMap &&
        List[Id].Live.load(std::memory_order_acquire))
      Marked = mark(Id, Where);
  if (HasLock)
    Lock.store(0, std::memory_order_release);
  return Marked;
}

bool Binaries::markOneGone(AddressRange &Where) {
  for (uint32_t Id = 1, End = next(); Id < End; ++Id)
    if (List[Id].Live.load(std::memory_order_acquire) && !stillThere(List[Id]))
      if (mark(Id, Where))
        return true;
  return false;
}
