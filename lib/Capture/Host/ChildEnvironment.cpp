// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The environment of a new program.

#include "ChildEnvironment.h"
#include "Runtime/ReadMemory.h"

#include <cstring>
#include <unistd.h>

using namespace memkit;
using namespace memkit::capture;

static constexpr char PreloadName[] = "LD_PRELOAD=";
static constexpr char SocketName[] = "MEMREC_SOCKET=";
static constexpr char OursName[] = "MEMREC_PRELOAD=";

static bool isOf(const char *Entry, const char *Name) {
  return strncmp(Entry, Name, strlen(Name)) == 0;
}

/// Calls \p See for each path of an LD_PRELOAD value (colons or blanks
/// between).
template <typename Fn> static void eachPath(const char *List, Fn See) {
  while (*List) {
    size_t N = strcspn(List, ": ");
    if (N)
      See(List, N);
    List += N + (List[N] != 0);
  }
}

static bool isOurs(const char *Path, size_t N) {
  const char *Ours = Kept.preloadPath();
  return strlen(Ours) == N && memcmp(Path, Ours, N) == 0;
}

/// The index of the injection variable of Entry; NumInjections: another
/// variable.
static unsigned injectionOf(const char *Entry) {
  unsigned I = 0;
  constexpr size_t N = sizeof(wire::NvtxVar) - 1;
  while (I != NumInjections &&
         (strncmp(Entry, InjectionVars[I], N) != 0 || Entry[N] != '='))
    ++I;
  return I;
}
static bool isOurEntry(const char *Entry) {
  unsigned I = injectionOf(Entry);
  return I != NumInjections &&
         capture::isOurInjection(I, Entry + sizeof(wire::NvtxVar));
}

static bool hasOurs(const char *List) {
  bool Has = false;
  eachPath(List, [&](const char *Path, size_t N) { Has |= isOurs(Path, N); });
  return Has;
}

/// Can all strings of \p Env be read?
static bool areReadable(char *const *Env) {
  for (; Env; ++Env) {
    if (!isMapped(Env))
      return false;
    if (!*Env)
      return true;
    if (!isMapped(*Env))
      return false;
  }
  return true; // null is an empty environment
}

ChildEnvironment::ChildEnvironment(char *const *Env, bool Preloadable)
    : Env(Env) {
  Preloadable &= !Kept.IsSandboxed;
  if (!Kept.HasEnvironment || !*Kept.socketPath() || !*Kept.preloadPath())
    return;
  if (Env != environ && !areReadable(Env))
    return;
  bool Over =
      Proc.Epoch.load(std::memory_order_acquire) && Proc.Ctl->Detached.load();
  if (Over && Preloadable)
    return; // Recording is over: a preloaded library would do nothing.
  Follow = Preloadable && !Kept.NoFollow;
  bool HasSocket = false, HasOurs = false, IsLeftOut = false;
  bool Has[NumInjections + 1] = {};
  for (; Env && Env[Count]; ++Count) {
    if (isOf(Env[Count], PreloadName))
      Preload = Env[Count] + strlen(PreloadName);
    HasSocket |= strcmp(Env[Count], Kept.Socket) == 0;
    HasOurs |= strcmp(Env[Count], Kept.Preload) == 0;
    IsLeftOut |= strcmp(Env[Count], "MEMREC_FOLLOW=0") == 0;
    bool IsOurs = isOurEntry(Env[Count]);
    (IsOurs ? Has : HasOther)[injectionOf(Env[Count])] = true;
  }
  Follow &= !IsLeftOut;
  bool Preloaded = Preload && hasOurs(Preload);
  Same = Follow ? HasSocket && HasOurs && Preloaded
                : !HasSocket && !HasOurs && !Preloaded;
  for (unsigned I = 0; I != NumInjections; ++I)
    Same &= Follow ? Has[I] || !gives(I) : !Has[I];
}

bool ChildEnvironment::gives(unsigned I) const {
  return Follow && !HasOther[I] && *Kept.injectionPath(I);
}

size_t ChildEnvironment::bytes() const {
  return (Count + 4 + NumInjections) * sizeof(char *) + sizeof(PreloadName) +
         (Preload ? strlen(Preload) : 0) + 1 + strlen(Kept.preloadPath()) + 1;
}

/// Writes LD_PRELOAD=..: memkit's library first, then the program's own in
/// their order. Returns the length of the value.
size_t ChildEnvironment::copyPreload(char *To) const {
  char *At = To + strlen(PreloadName);
  memcpy(To, PreloadName, strlen(PreloadName));
  char *Value = At;
  auto Append = [&](const char *Path, size_t N) {
    if (At != Value)
      *At++ = ':';
    memcpy(At, Path, N);
    At += N;
  };
  if (Follow)
    Append(Kept.preloadPath(), strlen(Kept.preloadPath()));
  if (Preload)
    eachPath(Preload, [&](const char *Path, size_t N) {
      if (!isOurs(Path, N))
        Append(Path, N);
    });
  *At = 0;
  return size_t(At - Value);
}

char **ChildEnvironment::build(void *Room) const {
  auto **New = static_cast<char **>(Room);
  char *List = reinterpret_cast<char *>(New + Count + 4 + NumInjections);
  size_t To = 0;
  for (size_t I = 0; I < Count; ++I)
    if (!isOf(Env[I], PreloadName) && !isOf(Env[I], SocketName) &&
        !isOf(Env[I], OursName) && !isOurEntry(Env[I]))
      New[To++] = Env[I];
  if (copyPreload(List))
    New[To++] = List;
  if (Follow) {
    New[To++] = Kept.Socket;
    New[To++] = Kept.Preload;
  }
  for (unsigned I = 0; I != NumInjections; ++I)
    if (gives(I))
      New[To++] = Kept.Injections[I];
  New[To] = nullptr;
  return New;
}

namespace {
/// The room of a call that has not returned.
struct UsedRoom {
  void *Room;
  size_t Bytes;
  uint32_t Pid; ///< the caller's
};
} // namespace
static __thread UsedRoom Used __attribute__((tls_model("initial-exec")));

EnvironmentRoom::EnvironmentRoom(size_t Bytes) : Bytes(Bytes) {
  uint32_t Pid = sys::getpid();
  // A child of vfork has this thread's variables, and has gone once this thread
  // or another such child comes here.
  if (Used.Room && Used.Pid != Pid) {
    void *Left = Used.Room;
    size_t Has = Used.Bytes;
    Used.Room = nullptr;
    sys::unmap(Left, Has);
  }
  Room = sys::map(Bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Room && !Used.Room)
    Used = {Room, Bytes, Pid};
}

EnvironmentRoom::~EnvironmentRoom() {
  if (!Room)
    return;
  if (Used.Room == Room)
    Used.Room = nullptr;
  sys::unmap(Room, Bytes);
}

/// Removes memkit's library from an LD_PRELOAD=.. in place.
static void shortenPreload(char *Entry) {
  char *To = Entry + strlen(PreloadName);
  const char *List = To, *Value = To;
  while (*List) {
    size_t N = strcspn(List, ": ");
    if (N && !isOurs(List, N)) {
      if (To != Value)
        *To++ = ':';
      memmove(To, List, N);
      To += N;
    }
    List += N;
    List += *List != 0;
  }
  *To = 0;
}

void capture::leaveEnvironment() {
  if (!environ)
    return;
  char **To = environ;
  for (char **E = environ; *E; ++E) {
    if (isOf(*E, SocketName) || isOf(*E, OursName))
      continue;
    if (isOf(*E, PreloadName)) {
      shortenPreload(*E);
      if (!(*E)[strlen(PreloadName)])
        continue;
    }
    *To++ = *E;
  }
  *To = nullptr;
}
