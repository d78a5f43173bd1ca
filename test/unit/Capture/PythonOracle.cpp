// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares recorded Python stacks with a plain walk.
//
// A copy of the capture library for tests. It compares a random part of the
// recorded Python stacks, as the recorded node spells them, with a plain walk
// at the same time. The plain walk caches nothing, so the comparison tests
// joining, interning and forgetting. Programs compare the result of
// memrec_python_stack() with traceback, which tests the layout that both walks
// use.
//
// MEMREC_ORACLE: a file of 64 zero bytes with counters, shared by all
// processes; FILE.txt describes the differences. MEMREC_ORACLE_EVERY: compare
// one stack in this many, a power of 2 (default 16).

#include "Python/Interpreter.h"
#include "Runtime/Errand.h"
#include "Runtime/Hook.h"
#include "Runtime/Thread.h"
#include "Stacks/State.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace memkit;
using namespace memkit::capture;

uint32_t realPythonNode() asm("__real__ZN6memkit7capture11interpreter4nodeEv");
uint32_t
wrappedPythonNode() asm("__wrap__ZN6memkit7capture11interpreter4nodeEv");

namespace {

struct Counters {
  std::atomic<uint64_t> Samples, Frames, MaxFrames;
  std::atomic<uint64_t> Different;
  std::atomic<uint64_t> Unused[4];
};
static_assert(sizeof(Counters) == 64);

/// Frames as text, innermost first: "file:line:name", "*" before an entry.
struct Spelling {
  static constexpr uint32_t Max = 1u << 20;
  char Text[Max];
  uint32_t Bytes, Frames;

  void put(const char *S, uint32_t N) {
    N = N < Max - Bytes ? N : Max - Bytes;
    memcpy(Text + Bytes, S, N);
    Bytes += N;
  }
  void frame(bool IsEntry, const char *File, uint32_t FileBytes, uint32_t Line,
             const char *Name, uint32_t NameBytes) {
    char Number[16];
    if (IsEntry)
      put("*", 1);
    put(File, FileBytes);
    put(Number, uint32_t(snprintf(Number, sizeof(Number), ":%u:", Line)));
    put(Name, NameBytes);
    put("\n", 1);
    ++Frames;
  }
};

struct Buffers {
  Spelling Ours, Plain;
  char File[wire::MaxTextBytes], Name[wire::MaxTextBytes];
};

Counters *Counts;
char TextPath[4096];
uint32_t EveryMask = 15;
__thread uint64_t Random;
__thread bool Inside;
__thread Buffers *Mine;

__attribute__((constructor)) void start() {
  const char *Path = getenv("MEMREC_ORACLE");
  if (!Path)
    return;
  if (const char *Every = getenv("MEMREC_ORACLE_EVERY"))
    EveryMask = uint32_t(atoi(Every)) - 1;
  int Fd = sys::open(Path, O_RDWR);
  strncpy(TextPath, Path, sizeof(TextPath) - 5);
  strcat(TextPath, ".txt");
  Counts = static_cast<Counters *>(
      Fd < 0 ? nullptr : sys::map(sizeof(Counters), MAP_SHARED, Fd, 0));
  sys::close(Fd);
  if (!Counts)
    abort();
}

bool prepare() {
  if (!Mine)
    Mine = static_cast<Buffers *>(sys::map(
        sizeof(Buffers), MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  return Mine;
}

/// Spells the frames that the recorder would read. \p IsWhole: no frame is left
/// out.
void spell(uint32_t Node, Spelling &To, bool &IsWhole) {
  To.Bytes = To.Frames = 0;
  IsWhole = true;
  for (; Node; Node = Stacks.Table.node(Node).Parent) {
    const wire::Code &C = Stacks.Table.code(Stacks.Table.node(Node).Code);
    uint32_t Kind = C.Kind;
    if (Kind == uint32_t(wire::CodeKind::Gap)) {
      IsWhole = false;
      return;
    }
    CodeObjects &Codes = Python.codes();
    const wire::PythonFunction &F = Codes.function(C.Container);
    uint32_t FileBytes, NameBytes;
    const char *File = Codes.text(F.File, FileBytes);
    const char *Name = Codes.text(F.Name, NameBytes);
    To.frame(Kind == uint32_t(wire::CodeKind::PythonEntry), File, FileBytes,
             uint32_t(C.Address), Name, NameBytes);
  }
}

uint8_t byteAt(uintptr_t At) { return *reinterpret_cast<const uint8_t *>(At); }

/// Spells the frames of the interpreter's structures, by their layout alone.
void walkPlainly(Spelling &To, char *File, char *Name) {
  const PythonLayout &L = Python.layout();
  auto Load = [](uintptr_t At) { return Interpreter::load(At); };
  auto IsShim = [&](uintptr_t F) {
    return hasShims(L.Shape) && F && byteAt(F + L.Owner) >= OwnedByCStack;
  };
  To.Bytes = To.Frames = 0;
  uintptr_t Ts = Python.threadState();
  for (uintptr_t F = Ts ? Python.innermost(Ts) : 0; F;
       F = Load(F + L.Previous)) {
    uintptr_t Code = Load(F + L.Code) & CodeAddress;
    if (IsShim(F) || !Python.isCode(Code))
      continue;
    int Offset;
    if (L.Shape == FrameShape::Objects) {
      Offset = *reinterpret_cast<const int *>(F + L.Instruction) *
               (L.Minor >= 10 ? 2 : 1);
    } else {
      Offset = int(Load(F + L.Instruction) - Code - L.Bytes);
      uint8_t Owner = byteAt(F + L.Owner + (L.Shape == FrameShape::Marked));
      int First = *reinterpret_cast<const int *>(Code + L.FirstTraceable);
      if (Owner != OwnedByGenerator && Offset < 2 * First)
        continue;
    }
    bool IsEntry = L.Shape == FrameShape::Objects ? true
                   : L.Shape == FrameShape::Marked
                       ? byteAt(F + L.Owner)
                       : IsShim(Load(F + L.Previous));
    int Line = Python.lineOf(Code, Offset);
    auto *FileStr = reinterpret_cast<const void *>(Load(Code + L.FileName));
    auto *NameStr = reinterpret_cast<const void *>(Load(Code + L.Name));
    uint32_t FileBytes = copyText(FileStr, L, File);
    uint32_t NameBytes = copyText(NameStr, L, Name);
    To.frame(IsEntry, File, FileBytes, Line > 0 ? uint32_t(Line) : 0, Name,
             NameBytes);
  }
}

void report(const Spelling &Ours, const Spelling &Plain) {
  if (Counts->Different++ > 5)
    return;
  int Fd = int(sys::call(SYS_openat, AT_FDCWD, long(TextPath),
                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  auto Put = [&](const char *S, uint32_t N) {
    sys::call(SYS_write, Fd, long(S), N);
  };
  Put("recorded\n", 9);
  Put(Ours.Text, Ours.Bytes);
  Put("plainly\n", 8);
  Put(Plain.Text, Plain.Bytes);
  sys::close(Fd);
}

void compare(uint32_t Node) {
  bool IsWhole;
  spell(Node, Mine->Ours, IsWhole);
  walkPlainly(Mine->Plain, Mine->File, Mine->Name);
  // Meanwhile another thread has begun to finalise the interpreter.
  if (!Python.threadState())
    return;
  const Spelling &A = Mine->Ours, &B = Mine->Plain;
  // A thread without frames has those of the thread that started it.
  if (!B.Frames && Node == ThisErrand.Python)
    return;
  Counts->Samples++;
  Counts->Frames += A.Frames;
  for (uint64_t Is = Counts->MaxFrames; Is < A.Frames;)
    Counts->MaxFrames.compare_exchange_weak(Is, A.Frames);
  // Of a stack with frames left out, the inner half is compared.
  bool IsSame = (IsWhole ? A.Bytes == B.Bytes : A.Bytes <= B.Bytes) &&
                memcmp(A.Text, B.Text, A.Bytes) == 0;
  if (!IsSame)
    report(A, B);
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

uint32_t wrappedPythonNode() {
  uint32_t Node = realPythonNode();
  if (Node && Counts && !Inside && isChosen()) {
    Inside = true;
    if (prepare())
      compare(Node);
    Inside = false;
  }
  return Node;
}

/// Writes the calling thread's Python stack as a NUL-terminated Spelling,
/// innermost frame first. Returns the number of frames, or -1 if no stack is
/// available.
MEMKIT_EXPORT int memrec_python_stack(char *To, uint32_t Room) {
  if (!recordingThread() || !Room || !prepare())
    return -1;
  bool IsWhole;
  Spelling &S = Mine->Ours;
  spell(realPythonNode(), S, IsWhole);
  uint32_t Bytes = S.Bytes < Room - 1 ? S.Bytes : Room - 1;
  memcpy(To, S.Text, Bytes);
  To[Bytes] = 0;
  return int(S.Frames);
}
