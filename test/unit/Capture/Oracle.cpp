// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares recorded stacks with libgcc's.
//
// A copy of the capture library for tests. It compares a random part of the
// recorded stacks, as the recorded node spells them, with the result of
// libgcc's _Unwind_Backtrace at the same time. The copy opens libgcc privately.
//
// MEMREC_ORACLE: a file of 64 zero bytes with counters (see Counters), shared
// by all processes; FILE.txt describes the differences.
// MEMREC_ORACLE_EVERY: compare one stack in this many, a power of 2 (default
// 16).
// MEMREC_ORACLE_OLD_GLIBC: behave as if the loader had no _dl_find_object.

#include "Runtime/Symbols.h"
#include "Runtime/Thread.h"
#include "Stacks/Stack.h"
#include "Stacks/State.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unwind.h>

using namespace memkit;
using namespace memkit::capture;

uint32_t realStackNode(ThreadState &T, const CallerFrame &Caller) asm(
    "__real__ZN6memkit7capture9stackNodeERNS0_11ThreadStateERKNS0_"
    "11CallerFrameE");
uint32_t wrappedStackNode(ThreadState &T, const CallerFrame &Caller) asm(
    "__wrap__ZN6memkit7capture9stackNodeERNS0_11ThreadStateERKNS0_"
    "11CallerFrameE");
void *realNextSymbol(const char *Name) asm(
    "__real__ZN6memkit7capture10nextSymbolEPKc");
void *wrappedNextSymbol(const char *Name) asm(
    "__wrap__ZN6memkit7capture10nextSymbolEPKc");

namespace {

struct Counters {
  std::atomic<uint64_t> Samples, Frames, MaxFrames;
  std::atomic<uint64_t> Different;
  std::atomic<uint64_t> Beyond; ///< only libgcc could not go on

  std::atomic<uint64_t> Marked; ///< with a mark or a gap: compared in part
  std::atomic<uint64_t> NotCompared;
  std::atomic<uint64_t> Unused;
};
static_assert(sizeof(Counters) == 64);

struct Walk {
  static constexpr uint32_t Max = 1u << 17;
  uintptr_t Pcs[Max]; ///< code addresses, innermost first
  uint32_t Count;
};

using BacktraceFn = _Unwind_Reason_Code (*)(_Unwind_Trace_Fn, void *);
using GetIpFn = _Unwind_Ptr (*)(_Unwind_Context *, int *);

Counters *Counts;
char TextPath[4096];
uint32_t EveryMask = 15;
std::atomic<BacktraceFn> Backtrace;
GetIpFn GetIp;
__thread uint64_t Random;
__thread bool Inside;
__thread Walk *Walks; ///< two walks

__attribute__((constructor)) void start() {
  const char *Path = getenv("MEMREC_ORACLE");
  if (!Path)
    return;
  if (const char *Every = getenv("MEMREC_ORACLE_EVERY"))
    EveryMask = uint32_t(atoi(Every)) - 1;
  int Fd = sys::open(Path, O_RDWR);
  Counts = static_cast<Counters *>(
      Fd < 0 ? nullptr : sys::map(sizeof(Counters), MAP_SHARED, Fd, 0));
  sys::close(Fd);
  strncpy(TextPath, Path, sizeof(TextPath) - 5);
  strcat(TextPath, ".txt");
  Quiet Q;
  void *Library = dlopen("libgcc_s.so.1", RTLD_LOCAL | RTLD_NOW);
  if (!Library || !Counts)
    abort();
  GetIp = reinterpret_cast<GetIpFn>(dlsym(Library, "_Unwind_GetIPInfo"));
  Backtrace.store(
      reinterpret_cast<BacktraceFn>(dlsym(Library, "_Unwind_Backtrace")));
}

//===----------------------------------------------------------------------===//
// A report
//===----------------------------------------------------------------------===//

struct Text {
  int Fd;
  void put(const char *S) {
    sys::call(SYS_write, Fd, long(S), long(strlen(S)));
  }
  void number(uint64_t N, unsigned Base) {
    char Digits[32], *P = Digits + 31;
    *P = 0;
    do
      *--P = "0123456789abcdef"[N % Base];
    while (N /= Base);
    put(P);
  }
  void address(uintptr_t Pc) {
    FoundObject O;
    put(" ");
    if (Loader.find(Pc, O)) {
      auto *Name = *reinterpret_cast<const char **>(
          static_cast<char *>(O.LinkMap) + 8); // link_map::l_name
      const char *Slash = strrchr(Name, '/');
      put(*Name ? Slash ? Slash + 1 : Name : "program");
      put("+");
      Pc -= uintptr_t(O.MapStart);
    }
    number(Pc, 16);
  }
};

void report(const Walk &Ours, const Walk &Gccs, uint32_t First) {
  if (Counts->Different.load() + Counts->Beyond.load() > 20)
    return;
  Text T{int(sys::call(SYS_openat, AT_FDCWD, long(TextPath),
                       O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644))};
  T.put("ours ");
  T.number(Ours.Count, 10);
  T.put(" frames, libgcc's ");
  T.number(Gccs.Count, 10);
  T.put("; from ");
  T.number(First, 10);
  T.put(" on:\n");
  for (uint32_t I = First > 1 ? First - 2 : 0; I < First + 4; ++I) {
    T.put(" ours");
    if (I < Ours.Count)
      T.address(Ours.Pcs[I]);
    T.put(" | libgcc's");
    if (I < Gccs.Count)
      T.address(Gccs.Pcs[I]);
    T.put("\n");
  }
  sys::close(T.Fd);
}

//===----------------------------------------------------------------------===//
// The comparison
//===----------------------------------------------------------------------===//

_Unwind_Reason_Code collect(_Unwind_Context *C, void *To) {
  auto *W = static_cast<Walk *>(To);
  int Exact = 0;
  uintptr_t Pc = GetIp(C, &Exact);
  if (!Pc || W->Count == Walk::Max)
    return _URC_END_OF_STACK;
  W->Pcs[W->Count++] = Pc - !Exact;
  return _URC_NO_REASON;
}

/// Writes the frames of \p Node to \p W. Returns the mark at which the node
/// starts, or None.
wire::CodeKind spell(uint32_t Node, Walk &W, bool &HasGap) {
  auto Last = wire::CodeKind::None;
  W.Count = 0;
  HasGap = false;
  for (; Node && W.Count < Walk::Max; Node = Stacks.Table.node(Node).Parent) {
    const wire::Code &C = Stacks.Table.code(Stacks.Table.node(Node).Code);
    Last = wire::CodeKind(C.Kind.load());
    // With Python recording, the evaluator's frames are marked as such.
    if (Last == wire::CodeKind::Evaluator)
      Last = wire::CodeKind::Native;
    if (Last == wire::CodeKind::Native)
      W.Pcs[W.Count++] = C.Address;
    HasGap |= Last == wire::CodeKind::Gap;
  }
  return Last == wire::CodeKind::Native ? wire::CodeKind::None : Last;
}

void compare(uint32_t Node, const CallerFrame &Caller) {
  Walk &Ours = Walks[0], &Gccs = Walks[1];
  bool HasGap;
  wire::CodeKind Mark = spell(Node, Ours, HasGap);
  Gccs.Count = 0;
  Backtrace.load()(collect, &Gccs);
  uint32_t From = 0;
  while (From < Gccs.Count && Gccs.Pcs[From] != Caller.Pc - 1)
    ++From;
  // Hooks of the capture library in the program's calls have no frames.
  uint32_t Shown = 0;
  for (; From < Gccs.Count; ++From)
    if (!isOwnCode(Gccs.Pcs[From]))
      Gccs.Pcs[Shown++] = Gccs.Pcs[From];
  Gccs.Count = Shown;
  Counts->Samples++;
  Counts->Frames += Ours.Count;
  for (uint64_t Is = Counts->MaxFrames; Is < Ours.Count;)
    Counts->MaxFrames.compare_exchange_weak(Is, Ours.Count);
  uint32_t Same = 0;
  while (Same < Ours.Count && Same < Gccs.Count &&
         Ours.Pcs[Same] == Gccs.Pcs[Same])
    ++Same;
  bool IsWhole = Same == Ours.Count && Same == Gccs.Count;
  if (Mark != wire::CodeKind::None || HasGap)
    Counts->Marked++;
  else if (!IsWhole && Same == Gccs.Count) {
    Counts->Beyond++;
    report(Ours, Gccs, Same);
  }
  // Of a stack with frames left out, only the inner part is compared.
  bool IsPart = HasGap ? Same * 2 + 2 >= Ours.Count
                       : Mark != wire::CodeKind::None && Same == Gccs.Count;
  if (IsWhole || IsPart || (Same && Same == Gccs.Count))
    return;
  report(Ours, Gccs, Same);
  Counts->Different++;
}

bool isChosen() {
  if (!Random)
    Random = 88172645463325252ull + sys::gettid() * 0x9e3779b97f4a7c15ull;
  Random ^= Random << 13;
  Random ^= Random >> 7;
  Random ^= Random << 17;
  return (Random >> 20 & EveryMask) == 0;
}

} // namespace

uint32_t wrappedStackNode(ThreadState &T, const CallerFrame &Caller) {
  if (Inside || T.QuietBits || T.Ring.isNested() || ThisStack.Mark ||
      !Backtrace.load())
    return realStackNode(T, Caller);
  Inside = true;
  uint32_t Node = realStackNode(T, Caller);
  if (Node && isChosen()) {
    Quiet Q;
    if (!Walks)
      Walks = static_cast<Walk *>(
          sys::map(2 * sizeof(Walk),
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (Walks)
      compare(Node, Caller);
  }
  Inside = false;
  return Node;
}

/// Works before libc has set environ.
static bool isInEnvironment(const char *Name) {
  static char Buffer[256 << 10];
  int Fd = sys::open("/proc/self/environ", O_RDONLY);
  long Got = 0, N;
  while ((N = sys::read(Fd, Buffer + Got, sizeof(Buffer) - size_t(Got))) > 0)
    Got += N;
  sys::close(Fd);
  return memmem(Buffer, size_t(Got), Name, strlen(Name));
}

void *wrappedNextSymbol(const char *Name) {
  if (strcmp(Name, "_dl_find_object") == 0 &&
      isInEnvironment("MEMREC_ORACLE_OLD_GLIBC="))
    return nullptr;
  return realNextSymbol(Name);
}
