// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of allocators that are built into binaries, and scopes of tests, as a
// source.

#include "Detours.h"

#include "LoaderNotice.h"
#include "Runtime/Questions.h"
#include "Runtime/Recording.h"
#include "Runtime/Symbols.h"
#include "Runtime/Thread.h"
#include "Stacks/Binaries.h"
#include "Stacks/Exports.h"
#include "Stacks/Imports.h"
#include "Stacks/MappedPath.h"
#include "Stacks/SectionFile.h"

#include <atomic>
#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using wire::DetourReply;

//===----------------------------------------------------------------------===//
// Binaries with an allocator
//===----------------------------------------------------------------------===//

static bool isProgram(const link_map &M) { return !M.l_name || !*M.l_name; }

/// An allocator maps memory, and most binaries import no function for that.
static bool mapsMemory(const link_map &M) {
  bool Maps = false;
  Imports(&M).each([&](const Import &I) {
    Maps |= !strcmp(I.Name, "mmap") || !strcmp(I.Name, "mmap64");
  });
  return Maps;
}

/// Whether a binary may run tests of GoogleTest: it exports the function that
/// runs a test, or imports the functions with which GoogleTest matches regular
/// expressions and captures output.
static bool runsTests(const link_map &M, const BinaryRange &Of,
                      const char *Path, const Exports &Names) {
  if (Names.find("_ZN7testing8TestInfo3RunEv"))
    return true;
  bool HasExpressions = false, HasFiles = false;
  Imports(&M).each([&](const Import &I) {
    HasExpressions |= !strcmp(I.Name, "regexec");
    HasFiles |= !strcmp(I.Name, "mkstemp") || !strcmp(I.Name, "mkstemp64");
  });
  return HasExpressions && HasFiles && hasSection(Path, Of.Start, SHT_SYMTAB);
}

/// Whether a binary may have an allocator, or tests: most need no answer of the
/// recorder.
static bool mayNeedDetours(const link_map &M, const BinaryRange &Of,
                           const char *Path) {
  Exports Names(&M);
  // An executable's own malloc may call the kernel itself.
  if (isProgram(M) && Names.find("malloc"))
    return true;
  if (runsTests(M, Of, Path, Names))
    return true;
  return mapsMemory(M) &&
         (Names.hasNameEnd("mallocx") || Names.hasNameEnd("rpmalloc") ||
          hasSection(Path, Of.Start, SHT_SYMTAB));
}

/// Writes the path of the binary's file. False: it is unknown.
static bool pathOf(const link_map &M, const BinaryRange &Of, char *To,
                   size_t Room) {
  if (isProgram(M)) {
    long N = sys::readlink("/proc/self/exe", To, Room - 1);
    To[N > 0 ? N : 0] = 0;
    return N > 0;
  }
  if (*M.l_name != '/')
    return mappedPath(Of.Start, To, Room);
  size_t N = strnlen(M.l_name, Room);
  memcpy(To, M.l_name, N < Room ? N + 1 : 0);
  return N < Room;
}

/// The number of the path's text; 0: the binary needs no detours.
static uint32_t pathText(const link_map &M) {
  BinaryRange Of(M);
  char Path[wire::MaxTextBytes];
  if (!Of.isFound() || isOwnCode(uintptr_t(M.l_ld)) ||
      !pathOf(M, Of, Path, sizeof(Path)) || !mayNeedDetours(M, Of, Path))
    return 0;
  // A library that is opened again and again takes room for one text.
  return Proc.Names.intern(Path, strlen(Path));
}

/// The recorder's plan; null: there is none, or not in time. One thread at a
/// time.
static const DetourReply *planOf(uint32_t Text) {
  // As large as a reply: too much for the stack of some threads.
  static DetourReply Copy;
  wire::Reply Answer;
  if (!ask(wire::AskDetoursRecord{0, 0, Text}, Answer) ||
      Answer.NumHeaps == UINT32_MAX)
    return nullptr;
  memcpy(&Copy, &Proc.Ctl->Detours, sizeof(Copy));
  return &Copy;
}

namespace {
/// Who makes or drops detours. A library that is loaded while memrec attaches
/// again gets none.
class DetourTurn {
public:
  DetourTurn() : IsMine(!IsTaken.exchange(true)) {}
  ~DetourTurn() {
    if (IsMine)
      IsTaken.store(false);
  }
  DetourTurn(const DetourTurn &) = delete;
  DetourTurn &operator=(const DetourTurn &) = delete;
  explicit operator bool() const { return IsMine; }

private:
  static std::atomic<bool> IsTaken;
  bool IsMine;
};
} // namespace
constinit std::atomic<bool> DetourTurn::IsTaken{false};

static bool wantsDetours() {
  return recordingThread() && Proc.Ctl->Settings.Private;
}

/// No code of the binary runs yet.
static void detour(const link_map &M) {
  DetourTurn Turn;
  uint32_t Text = Turn && wantsDetours() ? pathText(M) : 0;
  const DetourReply *Plan = Text ? planOf(Text) : nullptr;
  if (Plan)
    makeDetours(M, *Plan, /*WritesJumps=*/true);
}

//===----------------------------------------------------------------------===//
// A program that ran before
//===----------------------------------------------------------------------===//

namespace {
/// A binary that may have an allocator, as it was when it was found.
struct LateBinary {
  const link_map *Map;
  uintptr_t Bias;
  uint32_t Text;
};
struct LateBinaries {
  static constexpr size_t Max = 64;
  LateBinary List[Max];
  size_t Size = 0;
};
struct PlannedBinary {
  const LateBinary &Of;
  const DetourReply &Plan;
};
} // namespace

static const r_debug *LateLists;

/// With the lock of the loader's list, so no binary goes meanwhile.
static int findLate(dl_phdr_info *, size_t, void *To) {
  auto &Found = *static_cast<LateBinaries *>(To);
  const link_map *First = LateLists ? LateLists->r_map : nullptr;
  dropDetoursOfGone(First);
  for (const link_map *M = First; M && Found.Size != LateBinaries::Max;
       M = M->l_next)
    if (!hasDetours(*M))
      if (uint32_t Text = pathText(*M))
        Found.List[Found.Size++] = {M, M->l_addr, Text};
  return 1;
}

/// As findLate(): the binary may have gone since.
static int makeLate(dl_phdr_info *, size_t, void *To) {
  auto &[Of, Plan] = *static_cast<const PlannedBinary *>(To);
  for (const link_map *M = LateLists->r_map; M; M = M->l_next)
    if (M == Of.Map && M->l_addr == Of.Bias)
      makeDetours(*M, Plan, /*WritesJumps=*/false);
  return 1;
}

/// memrec leads the loader's notice to this library, too: for libraries that
/// come later.
static void planNotice() {
  static wire::CodePatchRow Row;
  if (!Row.At && planLoaderWatch(Row))
    if (wire::CodePatchRow *New = newLateRow())
      *New = Row;
  renewLoaderWatch();
}

void capture::planLate() {
  LateBinaries Found;
  DetourTurn Turn;
  if (!Turn || !wantsDetours())
    return;
  planNotice();
  LateLists = static_cast<const r_debug *>(nextSymbol("_r_debug"));
  dl_iterate_phdr(findLate, &Found);
  for (size_t I = 0; I != Found.Size; ++I)
    if (const DetourReply *Plan = planOf(Found.List[I].Text)) {
      PlannedBinary Of{Found.List[I], *Plan};
      dl_iterate_phdr(makeLate, &Of);
    }
}

//===----------------------------------------------------------------------===//
// The source
//===----------------------------------------------------------------------===//

/// Whether the program has one thread: another one might run the code that is
/// about to change.
static bool isAlone() {
  struct stat S;
  // A folder has two links more than it has folders.
  return !sys::failed(sys::call(SYS_stat, long("/proc/self/task"), long(&S))) &&
         S.st_nlink == 3;
}

static void dropGone(const void *Map) {
  if (DetourTurn Turn; Turn)
    dropDetours(static_cast<const link_map *>(Map));
}

static void ready() {
  static bool IsWatching;
  if (IsWatching || Kept.IsLate || !Proc.Ctl->Settings.Private || !isAlone())
    return;
  IsWatching = watchLoader();
  if (IsWatching)
    eachLoaded(detour);
}

constinit const Source capture::DetourSource = {
    .Ready = ready,
    .Mapped =
        [](const void *Map) { detour(*static_cast<const link_map *>(Map)); },
    .Unmapped = dropGone,
    .Opens = beginLoaderWatch};
