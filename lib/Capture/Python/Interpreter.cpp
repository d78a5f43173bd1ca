// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPython in a process.

#include "Interpreter.h"

#include "Runtime/Process.h"
#include "Stacks/Exports.h"
#include "Stacks/InterpreterFrames.h"
#include "Stacks/Loader.h"
#include "Stacks/State.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

//===----------------------------------------------------------------------===//
// Finding the interpreter
//===----------------------------------------------------------------------===//

static constexpr char Evaluate[] = "_PyEval_EvalFrameDefault";

void Interpreter::refuse(wire::PythonState Why) {
  Ctl->Findings[wire::FS_Python].Code.store(uint32_t(Why),
                                            std::memory_order_release);
  State.store(Refused, std::memory_order_release);
  Stacks.HasInterpreter.store(false, std::memory_order_release);
  Stacks.HasPendingWork.store(false, std::memory_order_relaxed);
}

/// Stacks.Bins notes the binaries of the frames that it sees. Where no frame is
/// walked for long, nobody would see the interpreter that the process has from
/// its start.
void Interpreter::search() const {
  FoundObject Own;
  if (!Wanted || !Loader.find(uintptr_t(&Evaluate), Own))
    return;
  auto *Map = static_cast<const link_map *>(Own.LinkMap);
  while (Map->l_prev)
    Map = Map->l_prev;
  for (; Map; Map = Map->l_next)
    if (uintptr_t Entry = Exports(Map).find(Evaluate)) {
      Stacks.Bins.binaryOf(Entry);
      return;
    }
}

void Interpreter::noteBinary(AddressRange M, const void *LinkMap,
                             const EhFrame &Tables) {
  if (!Wanted || State.load(std::memory_order_relaxed) != None)
    return;
  Exports E(LinkMap);
  uintptr_t Entry = E.find(Evaluate);
  if (!Entry) {
    if (E.find("pypy_execute_source"))
      refuse(wire::PythonState::PyPy);
    return;
  }
  Binary = M;
  bool HasAll = E.find("_PyRuntime", Runtime) &&
                E.find("PyCode_Type", CodeType) &&
                E.find("PyUnicode_Type", StrType) &&
                E.find("PyGILState_GetThisThreadState", ThisThreadState) &&
                E.find("PyCode_Addr2Line", LineOf) &&
                E.find("PyInterpreterState_Head", FirstInterp) &&
                E.find("PyInterpreterState_Next", NextInterp) &&
                E.find("Py_GetVersion", VersionText);
  E.find("Py_Version", VersionWord);
  E.find("PyTuple_Type", TupleType);
  E.find("PyThread_start_new_thread", ThreadStart);
  if (!E.find("PyThreadState_GetUnchecked", Attached))
    E.find("_PyThreadState_UncheckedGet", Attached);
  IsDebug = E.find("_Py_NegativeRefcount");
  IsFreeThreaded = E.find("_Py_MergeZeroLocalRefcount");
  Looks = 0;
  if (!HasAll || !Where.find(Tables, Entry) || !Codes.beginIndex() ||
      !Stacks.Table.beginPairs())
    return refuse(wire::PythonState::NoSymbols);
  Trial.begin(E);
  Finder.begin(E, Ctl->PythonFolder);
  Holders.begin(E);
  HolderCalls.begin(E, *Ctl);
  forSources(&Source::FoundInterpreter, LinkMap);
  if (Ctl->Settings.PythonObjects)
    Objects.begin(E, *Ctl);
  State.store(Seen, std::memory_order_release);
  Stacks.HasInterpreter.store(true, std::memory_order_release);
  Stacks.HasPendingWork.store(Finder.isWanted() || Objects.isWanted(),
                              std::memory_order_relaxed);
}

/// No thread walks the interpreter's frames here: such a thread would run the
/// interpreter's code.
void Interpreter::noteGone(AddressRange M) {
  if (State.load(std::memory_order_acquire) == None || M.Start != Binary.Start)
    return;
  Generation.fetch_add(1, std::memory_order_acq_rel);
  State.store(None, std::memory_order_release);
  Stacks.HasInterpreter.store(false, std::memory_order_release);
  Stacks.HasPendingWork.store(false, std::memory_order_relaxed);
}

//===----------------------------------------------------------------------===//
// Examining the interpreter
//===----------------------------------------------------------------------===//

/// Converts "3.10.13 (main, ...", a release, to the form of PY_VERSION_HEX.
static uint32_t parseVersion(const char *S) {
  uint32_t Parts[3] = {};
  for (uint32_t &P : Parts) {
    for (; *S >= '0' && *S <= '9'; ++S)
      P = P * 10 + uint32_t(*S - '0');
    S += *S == '.';
  }
  return Parts[0] << 24 | (Parts[1] & 255) << 16 | (Parts[2] & 255) << 8 | 0xf0;
}

bool Interpreter::hasInterpreter(uintptr_t Interp) const {
  void *I = FirstInterp();
  for (unsigned N = 0; I && N < 1024; ++N, I = NextInterp(I))
    if (uintptr_t(I) == Interp)
      return true;
  return false;
}

static bool canRead(uintptr_t Address, unsigned Bytes) {
  return Address % 8 == 0 && Address >= PageBytes &&
         allReadable(Address, Address + Bytes);
}

/// Is the frame's code a code object, with a str as file name and name? Not for
/// shims.
bool Interpreter::isPlausibleFrame(uintptr_t F) {
  uintptr_t Code = load(F + L.Code) & CodeAddress;
  if (!canRead(Code, 256) || load(Code + 8) != CodeType)
    return false;
  uint32_t References = *reinterpret_cast<const uint32_t *>(Code);
  uintptr_t File = load(Code + L.FileName), Name = load(Code + L.Name);
  if (!References || !canRead(File, 64) || !canRead(Name, 64) ||
      load(File + 8) != StrType || load(Name + 8) != StrType)
    return false;
  if (L.Shape == FrameShape::Objects)
    return true;
  uintptr_t At = load(F + L.Instruction), Begin = Code + L.Bytes;
  return At + 2 >= Begin && At < Begin + 2 * load(Code + 16);
}

bool Interpreter::isPlausible(uintptr_t Ts) {
  uintptr_t Self;
  asm("mov %%fs:0x10, %0" : "=r"(Self));
  if (!canRead(Ts, 256) || load(Ts + L.ThreadId) != Self ||
      !hasInterpreter(load(Ts + L.Interp)) ||
      load(Runtime + L.Interpreters) != uintptr_t(FirstInterp()))
    return false;
  uintptr_t F = load(Ts + L.Frame);
  if (L.CFrame >= 0 && !canRead(F, 32))
    return false;
  F = innermost(Ts);
  for (unsigned N = 0; F && N < 4; ++N, F = load(F + L.Previous)) {
    if (!canRead(F, 112))
      return false;
    bool IsShim = hasShims(L.Shape) && *reinterpret_cast<const uint8_t *>(
                                           F + L.Owner) >= OwnedByCStack;
    if (!IsShim && !isPlausibleFrame(F))
      return false;
  }
  return true;
}

/// None: too early to decide.
wire::PythonState Interpreter::judge() {
  using wire::PythonState;
  uint32_t Version =
      VersionWord ? uint32_t(*VersionWord) : parseVersion(VersionText());
  wire::SourceFinding *Found = Ctl->Findings;
  Found[wire::FS_Python].Argument.store(Version, std::memory_order_relaxed);
  Found[wire::FS_PythonObjects].Argument.store(Version,
                                               std::memory_order_relaxed);
  if (IsDebug)
    return PythonState::DebugBuild;
  if (IsFreeThreaded)
    return PythonState::FreeThreaded;
  if (LayoutTrial::TrialResult Is = Trial.result();
      Is != LayoutTrial::TrialResult::None)
    return judgeTrial(Is);
  const PythonLayout *Known = layoutOf(Version);
  const PythonLayout *Tried = Known ? nullptr : layoutToTry(Version);
  if (!Known && !Tried)
    return PythonState::UnknownVersion;
  L = Known ? *Known : *Tried;
  PythonState IfDifferent =
      Known ? PythonState::OtherLayout : PythonState::UnknownVersion;
  if (L.Minor >= 13 &&
      !readDebugOffsets(reinterpret_cast<void *>(Runtime), Version, L))
    return IfDifferent;
  uintptr_t Ts = uintptr_t(ThisThreadState());
  if (!Ts || load(Runtime + L.Finalizing))
    return PythonState::None;
  if (L.CFrame < 0 && !load(Ts + L.Frame))
    return PythonState::None;
  if (!isPlausible(Ts)) {
    // A frame that is being cleared cannot be judged: look again.
    constexpr uint32_t MaxLooks = 64;
    return ++Looks < MaxLooks ? PythonState::None : IfDifferent;
  }
  if (!innermost(Ts))
    return PythonState::None;
  if (Known)
    return PythonState::Walked;
  Trial.request(L);
  return PythonState::None;
}

/// None: the interpreter has not made the comparison yet.
wire::PythonState Interpreter::judgeTrial(LayoutTrial::TrialResult Is) const {
  if (Is == LayoutTrial::TrialResult::Asked)
    return wire::PythonState::None;
  return Is == LayoutTrial::TrialResult::Agrees
             ? wire::PythonState::Compared
             : wire::PythonState::UnknownVersion;
}

bool Interpreter::look() {
  uint32_t Is = Seen;
  if (!State.compare_exchange_strong(Is, Looking, std::memory_order_acq_rel))
    return Is == Walked;
  wire::PythonState Found = judge();
  if (Found == wire::PythonState::None) {
    State.store(Seen, std::memory_order_release);
    return false;
  }
  if (Found != wire::PythonState::Walked &&
      Found != wire::PythonState::Compared) {
    refuse(Found);
    return false;
  }
  watchCodes();
  Ctl->Findings[wire::FS_Python].Code.store(uint32_t(Found),
                                            std::memory_order_release);
  State.store(Walked, std::memory_order_release);
  return true;
}

//===----------------------------------------------------------------------===//
// Several interpreters
//===----------------------------------------------------------------------===//

/// The calling thread's state, where the process has several interpreters.
/// PyGILState keeps one thread state for each thread, before 3.12 the first.
uintptr_t Interpreter::ofSeveral(uintptr_t Ts) const {
  if (!L.Current) {
    uintptr_t Mine = Attached ? uintptr_t(Attached()) : 0;
    return Mine ? Mine : Ts;
  }
  // The GIL may be held by any thread, which may release the GIL and end at any
  // time.
  uintptr_t Holder = load(Runtime + L.Current);
  uintptr_t Self;
  asm("mov %%fs:0x10, %0" : "=r"(Self));
  bool IsMine = Holder && Holder != Ts && Holder % 8 == 0 &&
                isReadable(Holder + L.ThreadId) &&
                load(Holder + L.ThreadId) == Self;
  return IsMine ? Holder : Ts;
}

//===----------------------------------------------------------------------===//
// The death of code objects
//===----------------------------------------------------------------------===//

static constexpr unsigned DeallocOffset = 48; ///< in PyTypeObject
/// The interpreter's own deallocator of code objects. Children of fork keep the
/// pointer.
static void (*RealDealloc)(void *);

/// Replaces the deallocator of the type of code objects. All interpreters of
/// the process share the type, which is never freed and keeps its deallocator
/// when the interpreter is finalised and started again. In a child of fork, the
/// type calls codeDies() already.
void Interpreter::watchCodes() {
  auto *Slot = reinterpret_cast<void (**)(void *)>(CodeType + DeallocOffset);
  auto *Is = __atomic_load_n(Slot, __ATOMIC_ACQUIRE);
  if (Is == codeDies)
    return;
  __atomic_store_n(&RealDealloc, Is, __ATOMIC_RELEASE);
  __atomic_store_n(Slot, &codeDies, __ATOMIC_RELEASE);
}

void Interpreter::leave() const {
  auto *Real = __atomic_load_n(&RealDealloc, __ATOMIC_ACQUIRE);
  if (!CodeType || !Real)
    return;
  auto *Slot = reinterpret_cast<void (**)(void *)>(CodeType + DeallocOffset);
  auto *Is = &codeDies;
  __atomic_compare_exchange_n(Slot, &Is, Real, false, __ATOMIC_ACQ_REL,
                              __ATOMIC_RELAXED);
}

/// Called with the GIL of the object's interpreter held: no frame runs the
/// code.
void Interpreter::codeDies(void *Code) {
  if (Python.State.load(std::memory_order_acquire) == Walked &&
      Python.Codes.forget(uintptr_t(Code)))
    Python.Generation.fetch_add(1, std::memory_order_acq_rel);
  __atomic_load_n(&RealDealloc, __ATOMIC_ACQUIRE)(Code);
}

uint32_t Interpreter::copyString(uintptr_t Object, char *To,
                                 uint32_t Max) const {
  if (!Object || load(Object + 8) != StrType)
    return 0;
  // As in copyText().
  constexpr uint32_t CompactAndAscii = 3u << 5;
  auto State = *reinterpret_cast<const uint32_t *>(Object + 32);
  uintptr_t Length = load(Object + 16);
  if ((State & CompactAndAscii) != CompactAndAscii)
    return 0;
  auto Bytes = uint32_t(Length < Max ? Length : Max);
  memcpy(To, reinterpret_cast<const char *>(Object + L.Ascii), Bytes);
  return Bytes;
}

//===----------------------------------------------------------------------===//
// Of a process and its threads
//===----------------------------------------------------------------------===//

void interpreter::noteBinary(AddressRange Binary, const void *LinkMap,
                             const EhFrame &Tables) {
  Python.noteBinary(Binary, LinkMap, Tables);
}
void interpreter::noteGone(AddressRange Binary) { Python.noteGone(Binary); }
bool interpreter::isEvaluator(uintptr_t Pc) { return Python.isEvaluator(Pc); }
bool interpreter::isThreadStart(uintptr_t Pc) {
  return Python.isThreadStart(Pc);
}
void interpreter::poll() { Python.poll(); }

static bool connectSource(int Fd, const wire::Regions &R, wire::Control &C) {
  C.NextFunction.store(1, std::memory_order_release);
  return Python.begin(Fd, R, C);
}

constinit ProcessInterpreter capture::Python;
constinit const Source capture::PythonSource = {
    .State = &Python,
    .StateBytes = sizeof(Python),
    .Connect = connectSource,
    .Connected = [] { Python.search(); },
    .StartThread = [] { resetPythonState(ThisPython); },
    .EndThread = [] { releasePythonState(ThisPython); },
    .Leave = [] { Python.leave(); }};
