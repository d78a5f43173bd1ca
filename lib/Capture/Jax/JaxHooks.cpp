// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records JAX's buffers and compiled programs on the CPU.

#include "JaxHooks.h"

#include "ClassFinder.h"
#include "Python/PythonStack.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Runtime/TensorSlots.h"
#include "Stacks/Imports.h"
#include "Stacks/Stack.h"

#include <cstring>
#include <dlfcn.h>
#include <utility>

using namespace memkit;
using namespace memkit::capture;
using wire::ScopeKindFlag;

__thread JaxThread capture::ThisJax;

namespace {
/// The layout of libstdc++'s string_view.
struct NameText {
  size_t Size;
  const char *At;
};
} // namespace

/// The functions of the library. Written once, before any function is replaced;
/// children of fork inherit the replaced functions.
static constinit struct {
  std::atomic<uint32_t> State; ///< wire::JaxState
  void *(*Allocate)(void *, const void *, size_t, size_t);
  void (*Delete)(void *);
  void *(*Base)(const void *);
  void *(*Execute)(void *, void *, void *, size_t, const void *, void *);
  NameText (*Name)(const void *);
  void (*Run)(void *, void *);
  void (*RunWhenReady)(void *, const void *, size_t, void *);
  uintptr_t CodeStart, CodeEnd;
} Library{};

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static uint32_t cpuSlot() {
  return tensorSlot(
      *Jax.Ctl, wire::TensorDeviceWord::pack(wire::TensorFramework::Jax, 0));
}

static void recordBuffer(uintptr_t Address, size_t Size,
                         const CallerFrame &Caller) {
  ThreadState *T = recordingThread();
  if (!T || !Jax.wantsBuffers() || !isRecording() || !hasRoom(*T))
    return;
  uint32_t Slot = cpuSlot();
  if (Slot == NoTensorSlot)
    return;
  uint32_t Stack = stackNode(*T, Caller);
  if (T->Epoch == Proc.Epoch.load(std::memory_order_relaxed))
    T->Ring.write(
        wire::TensorAllocateRecord{Address, Size, uint8_t(Slot), Stack});
}

/// xla's AlignedAllocator::Allocate. The result is an object around the block,
/// so the block is the one that posix_memalign made in between.
static void *allocate(void *Result, const void *Self, size_t Size,
                      size_t Alignment) {
  CallerFrame Caller = MEMKIT_CALLER;
  ThisThread.LastAligned = 0;
  void *Out = Library.Allocate(Result, Self, Size, Alignment);
  if (uintptr_t Address = ThisThread.LastAligned)
    recordBuffer(Address, Size, Caller);
  return Out;
}

/// The deleting destructor of xla's AlignedMemory.
static void deleteMemory(void *Self) {
  ThreadState *T = recordingThread();
  if (T && Jax.wantsBuffers())
    if (uint32_t Slot = cpuSlot(); Slot != NoTensorSlot && hasRoom(*T))
      T->Ring.write(wire::TensorFreeRecord{uintptr_t(Library.Base(Self)), false,
                                           uint8_t(Slot)});
  Library.Delete(Self);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Numbers of scopes are unique in the process.
static uint64_t newNumber(JaxThread &J) {
  constexpr uint64_t AtOnce = 1 << 16;
  if (__builtin_expect(J.NextNumber == J.EndNumber, 0)) {
    J.NextNumber = Kept.Scopes.fetch_add(AtOnce, std::memory_order_relaxed) + 1;
    J.EndNumber = J.NextNumber + AtOnce;
  }
  return J.NextNumber++;
}

/// The calling thread, if calls are recorded.
static ThreadState *callingThread() {
  ThreadState *T = recordingThread();
  return T && Jax.wantsCalls() && areScopesRecorded() ? T : nullptr;
}

static uint64_t begin(ThreadState &T, uint32_t Text, uint64_t Kind,
                      uint64_t Detail) {
  if (!hasRoom(T))
    return 0;
  uint64_t Number = newNumber(ThisJax);
  T.Ring.write(wire::ScopeBeginRecord{Text, Kind, Number, Detail},
               RingWriter::ClockRead::Early);
  return Number;
}

static void end(uint64_t Number) {
  ThreadState *T = Number ? recordingThread() : nullptr;
  if (T && hasRoom(*T))
    T->Ring.write(wire::ScopeEndRecord{Number}, RingWriter::ClockRead::Early);
}

/// ifrt's PjRtLoadedExecutable::Execute.
static void *execute(void *Result, void *Self, void *Arguments, size_t Count,
                     const void *Options, void *Devices) {
  ThreadState *T = callingThread();
  if (!T)
    return Library.Execute(Result, Self, Arguments, Count, Options, Devices);
  CallerFrame Caller = MEMKIT_CALLER;
  ProgramCall Outer = ThisJax.Call;
  ProgramCall &Call = ThisJax.Call;
  NameText Name = Library.Name(Self);
  Call.Text = Proc.Names.intern(Name.At, Name.Size);
  Jax.Programs.note(Self, Call.Text);
  Call.PythonNode = interpreterNode(*T, Caller);
  Call.Number = begin(*T, Call.Text, ScopeKindFlag::SF_Operator,
                      wire::ScopeBeginRecord::inPython(Call.PythonNode));
  uint64_t Number = Call.Number;
  void *Out = Library.Execute(Result, Self, Arguments, Count, Options, Devices);
  ThisJax.Call = Outer;
  end(Number);
  return Out;
}

/// The library's calls of operator new. A closure for a later execution is
/// among the blocks that a call allocates; it captures at least MinClosure
/// bytes.
MEMKIT_EXPORT void *operatorNew(size_t Size) asm("_Znwm");
static void *allocateObject(size_t Size) {
  constexpr size_t MinClosure = 200, MaxClosure = 4096;
  if (__builtin_expect(
          !ThisJax.Call.Number || Size < MinClosure || Size > MaxClosure, 1))
    return operatorNew(Size);
  void *P = operatorNew(Size);
  Jax.Calls.set(uintptr_t(P), ThisJax.Call);
  return P;
}

//===----------------------------------------------------------------------===//
// Closures
//===----------------------------------------------------------------------===//

namespace {
/// The layout of absl::AnyInvocable<void() &&> with a closure on the heap.
struct Closure {
  uintptr_t Target;
  size_t TargetBytes;
  void (*Manage)(int, Closure *, Closure *);
  void (*Invoke)(Closure *);
};
} // namespace

/// The library's functions that invoke closures of known calls: one for each
/// type of closure. Invokers[I] is set before invokeNumber<I> is used.
static constexpr unsigned MaxInvokers = 8;
static constinit std::atomic<void (*)(Closure *)> Invokers[MaxInvokers]{};

/// Invokes a closure as part of its call.
static void invoke(Closure *C, void (*Real)(Closure *)) {
  ThreadState *T = callingThread();
  ProgramCall Call;
  if (!T || !Jax.Calls.find(C->Target, Call))
    return Real(C);
  uint64_t Number =
      begin(*T, Call.Text, ScopeKindFlag::SF_Continued, Call.Number);
  uint32_t Outer = ThisPython.Adopted;
  ThisPython.Adopted = Call.PythonNode;
  Real(C);
  ThisPython.Adopted = Outer;
  end(Number);
}

template <unsigned I> static void invokeNumber(Closure *C) {
  invoke(C, Invokers[I].load(std::memory_order_acquire));
}

using InvokeFn = void (*)(Closure *);
template <unsigned... I>
static InvokeFn invokeFunction(unsigned Which,
                               std::integer_sequence<unsigned, I...>) {
  static constexpr InvokeFn All[] = {invokeNumber<I>...};
  return All[Which];
}

static bool isLibraryCode(uintptr_t Pc) {
  return Pc - Library.CodeStart < Library.CodeEnd - Library.CodeStart;
}

/// Lets the closure of a known call run as part of the call.
static void link(Closure *C) {
  ProgramCall Call;
  InvokeFn Real = C->Invoke;
  if (recordingThread() && Jax.Calls.find(C->Target, Call) &&
      isLibraryCode(uintptr_t(Real)) && isLibraryCode(uintptr_t(C->Manage)))
    for (unsigned I = 0; I != MaxInvokers; ++I) {
      InvokeFn Is = nullptr;
      if (!Invokers[I].compare_exchange_strong(Is, Real) && Is != Real)
        continue;
      C->Invoke = invokeFunction(
          I, std::make_integer_sequence<unsigned, MaxInvokers>());
      break;
    }
}

/// xla's ThreadPoolAsyncWorkRunner::Execute (Schedule before 0.10): a thread of
/// the pool will run the closure. Any thread.
static void run(void *Self, void *Task) {
  link(static_cast<Closure *>(Task));
  Library.Run(Self, Task);
}

/// ScheduleWhenReady, before 0.10: the same, when all of \p Count events have
/// happened.
static void runWhenReady(void *Self, const void *Events, size_t Count,
                         void *Task) {
  link(static_cast<Closure *>(Task));
  Library.RunWhenReady(Self, Events, Count, Task);
}

//===----------------------------------------------------------------------===//
// Replacing the functions
//===----------------------------------------------------------------------===//

namespace {
using WantedClass = ClassFinder::WantedClass;
using WantedFunction = ClassFinder::WantedFunction;
enum WantedSlot {
  Allocates,
  Deletes,
  Bases,
  Executes,
  Names,
  Runs,
  OldRuns, ///< before 0.10
  OldRunsWhenReady,
  NumSlots
};
} // namespace

/// The words that lead to this library. Written by the thread that searches.
static constinit struct {
  const void *LinkMap;
  unsigned Count;
  struct {
    uintptr_t *At, Old, New;
  } Words[NumSlots + 1]; ///< and operator new
} Replaced{};

static bool replaceWord(const FoundObject &O, uintptr_t *At, uintptr_t New) {
  Replaced.LinkMap = O.LinkMap;
  Replaced.Words[Replaced.Count++] = {At, *At, New};
  return setWord(O.LinkMap, At, New);
}

/// Saves a function of the library, and puts \p New in its place.
template <typename Fn>
static bool replace(const FoundObject &O, const WantedFunction &F, Fn &Old,
                    Fn New) {
  Old = reinterpret_cast<Fn>(*F.Slot);
  return replaceWord(O, F.Slot, uintptr_t(New));
}

static bool replaceBuffers(const FoundObject &O, const WantedFunction *F) {
  if (!F[Allocates].Slot || !F[Deletes].Slot || !F[Bases].Slot)
    return false;
  Library.Base = reinterpret_cast<decltype(Library.Base)>(*F[Bases].Slot);
  // A free without an allocation is harmless, an allocation without a free is
  // not.
  return replace(O, F[Deletes], Library.Delete, deleteMemory) &&
         replace(O, F[Allocates], Library.Allocate, allocate);
}

static bool replaceCalls(const FoundObject &O, const WantedFunction *F) {
  uintptr_t *New = importSlot(O.LinkMap, "_Znwm");
  if (!F[Executes].Slot || !F[Names].Slot)
    return false;
  Library.Name = reinterpret_cast<decltype(Library.Name)>(*F[Names].Slot);
  if (!New || !replaceWord(O, New, uintptr_t(allocateObject)))
    return false;
  if (F[OldRunsWhenReady].Slot)
    replace(O, F[OldRunsWhenReady], Library.RunWhenReady, runWhenReady);
  if (F[OldRuns].Slot)
    replace(O, F[OldRuns], Library.Run, run);
  else if (F[Runs].Slot)
    replace(O, F[Runs], Library.Run, run);
  return replace(O, F[Executes], Library.Execute, execute);
}

static wire::JaxState replaceAll(const FoundObject &O) {
  WantedClass Allocator = {"N3xla12_GLOBAL__N_116AlignedAllocatorE"};
  WantedClass Memory = {"N3xla12_GLOBAL__N_113AlignedMemoryE"};
  WantedClass Executable = {"N3xla4ifrt20PjRtLoadedExecutableE"};
  WantedClass Runner = {"N3xla25ThreadPoolAsyncWorkRunnerE"};
  WantedClass OldRunner = {"N3xla12_GLOBAL__N_125ThreadPoolAsyncWorkRunnerE"};
  WantedFunction F[NumSlots] = {
      {&Allocator, "_ZNK3xla12_GLOBAL__N_116AlignedAllocator8AllocateEmm"},
      {&Memory, "_ZN3xla12_GLOBAL__N_113AlignedMemoryD0Ev"},
      {&Memory, "_ZNK3xla12_GLOBAL__N_113AlignedMemory4baseEv"},
      {&Executable,
       "_ZN3xla4ifrt20PjRtLoadedExecutable7ExecuteEN4absl12lts_#SpanIN3tsl11"
       "RCReferenceINS0_5ArrayEEEEERKNS0_14ExecuteOptionsESt8optionalINS0_18"
       "RCReferenceWrapperINS0_10DeviceListEEEE"},
      {&Executable, "_ZNK3xla4ifrt20PjRtLoadedExecutable4nameEv"},
      {&Runner, "_ZN3xla25ThreadPoolAsyncWorkRunner7ExecuteEN4absl12lts_#"
                "AnyInvocableIFvvOEEE"},
      {&OldRunner, "_ZN3xla12_GLOBAL__N_125ThreadPoolAsyncWorkRunner8ScheduleE"
                   "N4absl12lts_#AnyInvocableIFvvOEEE"},
      {&OldRunner,
       "_ZN3xla12_GLOBAL__N_125ThreadPoolAsyncWorkRunner17ScheduleWhenReadyEN4"
       "absl12lts_#SpanIKN3tsl11RCReferenceINS5_10AsyncValueEEEEENS3_12"
       "AnyInvocableIFvvOEEE"}};
  ClassFinder Finder(O);
  WantedClass *Classes[] = {&Allocator, &Memory, &Executable, &Runner,
                            &OldRunner};
  Finder.findTables(Classes, std::size(Classes));
  Finder.findSlots(F, NumSlots);
  Library.CodeStart = uintptr_t(O.MapStart);
  Library.CodeEnd = uintptr_t(O.MapEnd);
  if (!replaceBuffers(O, F))
    return Finder.hasSymbols() ? wire::JaxState::UnknownVersion
                               : wire::JaxState::NoSymbols;
  if (!replaceCalls(O, F))
    return wire::JaxState::NoCalls;
  return F[Runs].Slot || F[OldRuns].Slot ? wire::JaxState::Recorded
                                         : wire::JaxState::NoRunner;
}

/// Looks for the classes in the binary of \p Pc, once in a process.
static void searchLibrary(uintptr_t Pc) {
  FoundObject O = {};
  uint32_t Is = uint32_t(wire::JaxState::None);
  if (!(Jax.Bits & wire::TB_All) || !Loader.find(Pc, O) || !O.LinkMap ||
      !Library.State.compare_exchange_strong(
          Is, uint32_t(wire::JaxState::Searching)))
    return;
  uint32_t Found = uint32_t(replaceAll(O));
  Library.State.store(Found, std::memory_order_release);
  Jax.Ctl->Findings[wire::FS_Jax].Code.store(Found, std::memory_order_release);
}

void capture::attachJax(uintptr_t Pc) {
  if (recordingThread())
    searchLibrary(Pc);
}

/// Called by the hook of dlsym for names that start with `Py`: a module of
/// Python is about to be initialized by its function \p Init.
extern "C" __attribute__((visibility("hidden"))) void
memrecModule(void *Module, const char *Name, void *Init) {
  bool IsJax = strcmp(Name, "PyInit__jax") == 0;
  if (!IsJax && strcmp(Name, "PyInit_xla_extension") != 0)
    return;
  // The module's own library may only forward to the library with the code.
  void *Code = IsJax ? dlsym(Module, "Wrapped_PyInit__jax") : nullptr;
  if (IsJax && !Code)
    dlerror();
  attachJax(uintptr_t(Code ? Code : Init));
}

/// In a program that ran before, the words lead past this library again while
/// nobody records: \p ToHooks false, then true.
static void lead(bool ToHooks) {
  BindingTurn Turn;
  for (unsigned I = 0; Turn && I != Replaced.Count; ++I) {
    auto &W = Replaced.Words[I];
    if (*W.At == (ToHooks ? W.Old : W.New))
      setWord(Replaced.LinkMap, W.At, ToHooks ? W.New : W.Old);
  }
}

static int findLibrary(dl_phdr_info *Info, size_t, void *To) {
  const char *Slash = strrchr(Info->dlpi_name, '/');
  for (const char *Name : {"/libjax_common.so", "/xla_extension.so"})
    if (Slash && strcmp(Slash, Name) == 0)
      for (unsigned I = 0; I != Info->dlpi_phnum; ++I)
        if (Info->dlpi_phdr[I].p_type == PT_DYNAMIC)
          *static_cast<uintptr_t *>(To) =
              Info->dlpi_addr + Info->dlpi_phdr[I].p_vaddr;
  return 0;
}

/// A program that ran before may have loaded JAX.
static void bindLoaded() {
  if (Library.State.load(std::memory_order_acquire))
    return lead(true);
  uintptr_t At = 0;
  dl_iterate_phdr(findLibrary, &At);
  if (At)
    searchLibrary(At);
}

//===----------------------------------------------------------------------===//
// Of a process
//===----------------------------------------------------------------------===//

/// In a child of fork, the functions are replaced already.
static bool connectSource(int, const wire::Regions &, wire::Control &C) {
  Jax.Ctl = &C;
  Jax.Bits = C.Settings.Torch;
  C.Findings[wire::FS_Jax].Code.store(
      Library.State.load(std::memory_order_acquire), std::memory_order_release);
  return true;
}

constinit ProcessJax capture::Jax;
constinit const Source capture::JaxSource = {
    .State = &Jax,
    .StateBytes = sizeof(Jax),
    .Connect = connectSource,
    .StartThread = [] { ThisJax = {}; },
    .FoundInterpreter =
        [](const void *LinkMap) { Jax.Programs.begin(Exports(LinkMap)); },
    .Bound = bindLoaded,
    .Leave = [] { lead(false); }};
