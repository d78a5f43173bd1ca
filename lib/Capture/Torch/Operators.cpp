// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the operators and layers that a thread runs.

#include "Operators.h"

#include "Python/ObjectClass.h"
#include "Python/PythonWalk.h"
#include "Runtime/Recording.h"
#include "Runtime/Symbols.h"
#include "ScriptLayers.h"
#include "Stacks/Stack.h"
#include "TensorLayout.h"
#include "TorchHooks.h"

#include <cstring>
#include <utility>

using namespace memkit;
using namespace memkit::capture;
using wire::ScopeKindFlag;

__thread ScopeStack capture::ThisTorch;

/// The observer of this process and of its children of fork: PyTorch calls the
/// observer in children too, and the addresses stay valid.
static struct {
  bool HasObserver;
  uint32_t SequenceWord;
  const char *(*FunctionName)(const void *);
  uint64_t Handles[4]; ///< of PyTorch; 0: none
  std::atomic<bool> IsLeft;
} Registered;

void Operators::leave() {
  Registered.IsLeft.store(Registered.HasObserver, std::memory_order_release);
}

void Operators::stay() {
  Registered.IsLeft.store(false, std::memory_order_release);
}

/// In a thread in an operator: PyTorch's lock of its observers is free then. A
/// running operator still ends in endFunction().
__attribute__((noinline)) static void takeObserverOut() {
  if (!Registered.IsLeft.exchange(false, std::memory_order_acq_rel))
    return;
  auto Remove = reinterpret_cast<void (*)(uint64_t)>(
      symbolOfLoaded("libtorch_cpu.so", "_ZN2at14removeCallbackEm"));
  if (!Remove)
    return;
  Registered.HasObserver = false;
  for (uint64_t &Handle : Registered.Handles)
    if (uint64_t Is = std::exchange(Handle, 0))
      Remove(Is);
}

static void leaveIfWanted() {
  if (__builtin_expect(Registered.IsLeft.load(std::memory_order_acquire), 0))
    takeObserverOut();
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

/// The running modules are the first \p N layers of the thread's Python frames.
/// Ends the layers that do not run any more, then starts the new ones.
void Operators::followLayers(ThreadState &T, uint32_t N) {
  ScopeStack &S = ThisTorch;
  const PythonThread &P = ThisPython;
  const uintptr_t Locals = Python.layout().Locals;
  uint32_t K = 0;
  auto FrameOf = [&](uint32_t I) { return P.Known[P.Layers.At[I]].Frame; };
  auto ModuleOf = [&](uintptr_t Frame) {
    return Interpreter::load(Frame + Locals) & CodeAddress;
  };
  auto Runs = [&](const OpenScope &Is, uintptr_t Frame) {
    uintptr_t Module = Is.Frame == Frame ? ModuleOf(Frame) : 0;
    return Module && identityOf(Module) == Is.Object;
  };
  for (uint32_t I = 0; I != S.Count; ++I) {
    const OpenScope &Is = S.Scopes[I];
    if (Is.Function || ScriptLayers::isLayer(Is))
      continue;
    if (K < N && Runs(Is, FrameOf(K))) {
      ++K;
      continue;
    }
    S.closeFrom(T, I);
    break;
  }
  for (; K < N; ++K) {
    uintptr_t Frame = FrameOf(K), Module = ModuleOf(Frame);
    if (!Module)
      continue;
    uint64_t Text = Torch.layers().textOf(Module, ModuleOf(FrameOf(0)));
    S.open(T, {nullptr, 0, Frame, identityOf(Module)}, uint32_t(Text),
           ScopeKindFlag::SF_Layer | (Text & ScopeKindFlag::SF_Unnamed), 0);
  }
  Scripts.follow(T, S);
}

void Operators::noteLayers(ThreadState &T, const CallerFrame &Caller) {
  if (ThisTorch.hasMemory())
    followLayers(T, interpreterNode(T, Caller) ? ThisPython.Layers.Count : 0);
}

/// The address of the optimizer whose step the range is, which distinguishes
/// optimizers of one class; 0: the range is no step.
uintptr_t Operators::optimizerOf(const char *Range) {
  static constexpr char Prefix[] = "Optimizer.step#";
  return strncmp(Range, Prefix, sizeof(Prefix) - 1) ? 0 : runningOptimizer();
}

uintptr_t Operators::runningOptimizer() {
  const PythonThread &P = ThisPython;
  constexpr uint32_t MaxFrames = 12;
  constexpr unsigned FirstItem = 24; ///< of a tuple
  for (uint32_t I = P.Count, N = 0; I-- != 0 && N != MaxFrames; ++N) {
    if (P.Known[I].Code & UnknownBit || !(P.Known[I].Code & OptimizerBit))
      continue;
    uintptr_t Arguments =
        Interpreter::load(P.Known[I].Frame + Python.layout().Locals) &
        CodeAddress;
    if (!Python.isTuple(Arguments))
      continue;
    return Interpreter::load(Arguments + FirstItem);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Sequence numbers
//===----------------------------------------------------------------------===//

namespace {
/// The layout of libstdc++'s std::variant<std::string_view, ...> with a
/// string_view.
struct FunctionName {
  size_t Bytes;
  const char *Text;
  uint8_t Which = 0;
};
} // namespace
static constexpr int64_t ProbeSequence = 0x6d656d6b69740001;
static constexpr char ProbeName[] = "memkit";

/// Finds the offset of the sequence number in a RecordFunction: makes a
/// RecordFunction with a number of memkit's own, in which the observer searches
/// for the number.
void Operators::findSequence() {
  auto Find = [](const char *Name) {
    return symbolOfLoaded("libtorch_cpu.so", Name);
  };
  auto Make = reinterpret_cast<void (*)(void *, uint8_t)>(
      Find("_ZN2at14RecordFunctionC1ENS_11RecordScopeE"));
  auto Before = reinterpret_cast<void (*)(void *, FunctionName, int64_t)>(
      Find("_ZN2at14RecordFunction6beforeESt7variantIJSt17basic_string_view"
           "IcSt11char_traitsIcEESt17reference_wrapperIKN3c1014Function"
           "SchemaEEEEl"));
  auto Destroy =
      reinterpret_cast<void (*)(void *)>(Find("_ZN2at14RecordFunctionD1Ev"));
  if (!Make || !Before || !Destroy)
    return;
  alignas(64) int64_t Object[ProbeWords] = {};
  Probe.store(Object, std::memory_order_release);
  Make(Object, 0);
  Before(Object, {sizeof(ProbeName) - 1, ProbeName}, ProbeSequence);
  Destroy(Object);
  Probe.store(nullptr, std::memory_order_release);
}

/// Called by the observer with the RecordFunction of findSequence().
void Operators::lookAtProbe(const void *Function) {
  auto *W = static_cast<const int64_t *>(Function);
  uint32_t Word = 0, Found = 0;
  for (uint32_t I = 1; I != ProbeWords; ++I)
    if (W[I] == ProbeSequence) {
      Word = I;
      ++Found;
    }
  if (Found != 1 || strcmp(NameOf(Function), ProbeName))
    return;
  SequenceWord.store(Word, std::memory_order_release);
  // The object is the library's own.
  if (Torch.wantsShapes())
    TorchLayout.findInputs(
        static_cast<uint64_t *>(const_cast<void *>(Function)), Word,
        ProbeWords);
}

int64_t Operators::sequenceOf(const void *Function) const {
  uint32_t Word = SequenceWord.load(std::memory_order_acquire);
  return Word ? static_cast<const int64_t *>(Function)[Word] : -1;
}

//===----------------------------------------------------------------------===//
// The observer
//===----------------------------------------------------------------------===//

void Operators::begin(ThreadState &T, const void *Function, ObservedKind K,
                      const CallerFrame &Caller) {
  if (!ThisTorch.hasMemory())
    return;
  // Threads of autograd have no Python frames.
  uint32_t Node = interpreterNode(T, Caller);
  followLayers(T, Node ? ThisPython.Layers.Count : 0);
  const char *Name = NameOf(Function);
  uint32_t Text = Proc.Names.intern(Name, strlen(Name));
  ForwardScope *F = Forwards.load(std::memory_order_relaxed);
  if (K == ObservedKind::Operator) {
    uint32_t Inputs = 0;
    if (__builtin_expect(Torch.wantsShapes() && TorchLayout.isKnown(), 0))
      Inputs = Torch.shapes().textOf(T, Function, Name);
    ThisTorch.open(T, {Function, 0, 0, 0}, Text, ScopeKindFlag::SF_Operator,
                   wire::ScopeBeginRecord::inPython(Node, Inputs));
    int64_t Sequence = sequenceOf(Function);
    if (Sequence >= 0 && F) {
      ForwardScope &Of = F[uint64_t(Sequence) % NumForwards];
      Of.Sequence.store(Sequence, std::memory_order_relaxed);
      Of.Number.store(ThisTorch.Scopes[ThisTorch.Count - 1].Number,
                      std::memory_order_release);
    }
    return;
  }
  if (K == ObservedKind::Range) {
    uintptr_t Optimizer = Node ? optimizerOf(Name) : 0;
    ThisTorch.open(
        T, {Function, 0, 0, 0}, Text, ScopeKindFlag::SF_Range,
        wire::ScopeBeginRecord::inPython(Node, uint32_t(Optimizer >> 4)));
    if (Optimizer)
      Torch.held().noteOptimizer(Optimizer);
    return;
  }
  int64_t Sequence = sequenceOf(Function);
  uint64_t Number = 0;
  if (Sequence >= 0 && F) {
    ForwardScope &Of = F[uint64_t(Sequence) % NumForwards];
    uint64_t Is = Of.Number.load(std::memory_order_acquire);
    if (Of.Sequence.load(std::memory_order_relaxed) == Sequence)
      Number = Is;
  }
  ThisTorch.open(T, {Function, 0, 0, 0}, Text, ScopeKindFlag::SF_Backward,
                 Number);
}

void Operators::end(ThreadState &T, const void *Function) {
  ScopeStack &S = ThisTorch;
  for (uint32_t I = S.Count; I-- != 0;)
    if (S.Scopes[I].Function == Function)
      return S.closeFrom(T, I);
}

/// The calling thread, if the observer is attached; attaches the observer at
/// the first call.
static ThreadState *observedThread() {
  ThreadState *T = recordingThread();
  Operators &O = Torch.operators();
  if (T && __builtin_expect(!O.isAttached() && Torch.wantsContexts(), 0))
    O.attach();
  return O.isAttached() ? T : nullptr;
}

template <Operators::ObservedKind K>
static void **startFunction(void **Context, const void *Function) {
  *Context = nullptr;
  leaveIfWanted();
  Operators &O = Torch.operators();
  if (__builtin_expect(O.isProbe(Function), 0))
    O.lookAtProbe(Function);
  else if (ThreadState *T = observedThread(); T && areScopesRecorded())
    O.begin(*T, Function, K, MEMKIT_CALLER);
  return Context;
}

/// Also ends scopes that were open when recording stopped.
static void endFunction(const void *Function, void *) {
  if (ThreadState *T = observedThread())
    Torch.operators().end(*T, Function);
}

//===----------------------------------------------------------------------===//
// Registering it
//===----------------------------------------------------------------------===//

namespace {
/// The layout of at::RecordFunctionCallback. Start returns a unique_ptr, in
/// memory.
struct Observer {
  void **(*Start)(void **, const void *);
  void (*End)(const void *, void *);
  double Probability = 1.0;
  bool Scopes[10] = {};
  bool NeedsInputs = false, NeedsOutputs = false, NeedsIds = false;
};
enum RecordScope {
  ScopeFunction = 0,
  ScopeBackward = 1,
  ScopeScript = 2,
  ScopeUser = 7
};
} // namespace

static void **startScript(void **Context, const void *) {
  *Context = nullptr;
  leaveIfWanted();
  ++ThisScriptDepth;
  return Context;
}

static void endScript(const void *, void *) {
  // An asynchronous function may end in another thread.
  if (!ThisScriptDepth || --ThisScriptDepth)
    return;
  if (ThreadState *T = observedThread())
    ScriptLayers::end(*T, ThisTorch);
}

/// Maps the table of forward operators.
void Operators::beginForwards() {
  size_t Bytes = NumForwards * sizeof(ForwardScope);
  void *P = sys::map(Bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (P)
    sys::call(SYS_madvise, long(P), long(Bytes), MADV_DONTFORK);
  Forwards.store(static_cast<ForwardScope *>(P), std::memory_order_release);
}

bool Operators::find() {
  auto Find = [](const char *Name) {
    return symbolOfLoaded("libtorch_cpu.so", Name);
  };
  auto Add = reinterpret_cast<uint64_t (*)(Observer)>(
      Find("_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE"));
  NameOf = reinterpret_cast<decltype(NameOf)>(
      Find("_ZNK2at14RecordFunction4nameEv"));
  if (!Add || !NameOf)
    return false;
  beginForwards();
  bool HasTensors = Torch.wantsShapes() && TorchLayout.findTensors();
  unsigned N = 0;
  auto Register = [&](RecordScope Scope, auto *Start) {
    Observer O{Start, endFunction};
    O.Scopes[Scope] = true;
    O.NeedsInputs = HasTensors && Scope == ScopeFunction;
    Registered.Handles[N++] = Add(O);
  };
  Register(ScopeFunction, startFunction<ObservedKind::Operator>);
  Register(ScopeBackward, startFunction<ObservedKind::Node>);
  Register(ScopeUser, startFunction<ObservedKind::Range>);
  if (Scripts.find()) {
    Observer O{startScript, endScript};
    O.Scopes[ScopeScript] = true;
    Registered.Handles[N++] = Add(O);
  }
  findSequence();
  Registered.FunctionName = NameOf;
  Registered.SequenceWord = SequenceWord.load(std::memory_order_relaxed);
  Registered.HasObserver = true;
  return true;
}

/// A child of fork looks nothing up: the parent's observer is registered, and
/// another thread of the parent may have held the loader's lock at the fork.
void Operators::attachChild() {
  NameOf = Registered.FunctionName;
  SequenceWord.store(Registered.SequenceWord, std::memory_order_relaxed);
  beginForwards();
}

void Operators::attach() {
  uint32_t Is = New;
  if (State.load(std::memory_order_relaxed) != New ||
      !State.compare_exchange_strong(Is, Attaching, std::memory_order_acq_rel))
    return;
  // libc10 may call before libtorch_cpu is loaded: try again later.
  if (!Registered.HasObserver &&
      !symbolOfLoaded("libtorch_cpu.so", "_ZNK2at14RecordFunction4nameEv"))
    return State.store(New, std::memory_order_release);
  bool Has = Registered.HasObserver || find();
  if (Has && !NameOf)
    attachChild();
  bool HasSequence = SequenceWord.load(std::memory_order_relaxed);
  wire::SourceFinding *Found = Proc.Ctl->Findings;
  if (Torch.wantsShapes())
    Found[wire::FS_TorchShapes].Code.store(
        uint32_t(TorchLayout.isKnown() ? wire::ShapesState::Recorded
                                       : wire::ShapesState::UnknownLayout),
        std::memory_order_relaxed);
  Found[wire::FS_Torch].Code.store(uint32_t(!Has ? wire::TorchState::NoObserver
                                            : HasSequence
                                                ? wire::TorchState::Observed
                                                : wire::TorchState::NoSequence),
                                   std::memory_order_release);
  State.store(Has ? Attached : Missing, std::memory_order_release);
}
