// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links the backward pass to the line that starts the pass.
//
// With tensors on a GPU, autograd's own threads run the backward pass. These
// threads have no Python frames, so without a link no line of the program would
// own the gradients. Autograd's engine calls two of its functions through their
// symbols, which memkit defines, too: execute_with_graph_task() in the thread
// that calls backward(), and evaluate_function() for each node of the graph.
// The task is an argument of both. While a thread evaluates a node of a task
// and has no Python frames, the thread adopts the Python frames of the caller.
//
// The symbols are those of PyTorch 2.2 to 2.13; without them, nothing is
// linked.

#include "Python/PythonStack.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Stacks/RealFunction.h"
#include "Stacks/Stack.h"
#include "TorchHooks.h"

using namespace memkit;
using namespace memkit::capture;

#define ENGINE "_ZN5torch8autograd6Engine"
#define EVALUATE                                                               \
  ENGINE                                                                       \
  "17evaluate_functionERSt10shared_ptrINS0_9GraphTaskEEPNS0_4NodeERNS0_"       \
  "11InputBufferERKS2_INS0_10ReadyQueueEE"
/// ROOT: the type of the pointer to the first node.
#define EXECUTE(ROOT)                                                          \
  ENGINE "23execute_with_graph_taskERKSt10shared_ptrINS0_9GraphTaskEE" ROOT    \
         "ONS0_11InputBufferE"
#define SHARED_ROOT "S2_INS0_4NodeEE"
#define INTRUSIVE_ROOT                                                         \
  "N3c1013intrusive_ptrINS0_4NodeENS7_6detail34intrusive_target_default_null_" \
  "typeIS9_EEEE"

static constexpr char Library[] = "libtorch_cpu.so";

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

namespace {
/// The tasks of running backward passes, by address. A later task may take the
/// place of an earlier one, which then has no caller. Any thread: a task is set
/// before other threads get the task.
class BackwardTasks {
public:
  void set(uintptr_t Task, uint32_t Node) {
    TaskPlace &P = Places[placeOf(Task)];
    P.Task.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    P.Node.store(Node, std::memory_order_relaxed);
    P.Task.store(Task, std::memory_order_release);
  }
  /// The node of the caller's Python frames; 0: not known.
  uint32_t find(uintptr_t Task) const {
    const TaskPlace &P = Places[placeOf(Task)];
    if (P.Task.load(std::memory_order_acquire) != Task)
      return 0;
    uint32_t Node = P.Node.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    return P.Task.load(std::memory_order_relaxed) == Task ? Node : 0;
  }

private:
  static constexpr unsigned Bits = 6;
  struct TaskPlace {
    std::atomic<uintptr_t> Task;
    std::atomic<uint32_t> Node;
  };
  static unsigned placeOf(uintptr_t Task) {
    return unsigned(Task * 0x9e3779b97f4a7c15 >> (64 - Bits));
  }
  TaskPlace Places[1 << Bits];
};

/// std::shared_ptr of libstdc++.
struct SharedPointer {
  uintptr_t Object;
  void *Count;
};
} // namespace

static constinit BackwardTasks Tasks{};

/// The frame of the call that the thread adopts frames for.
static __thread uintptr_t Evaluating __attribute__((tls_model("initial-exec")));

//===----------------------------------------------------------------------===//
// The functions that the engine calls
//===----------------------------------------------------------------------===//

using EvaluateFn = void (*)(void *, const SharedPointer *, void *, void *,
                            const void *);
using ExecuteTaskFn = void *(*)(void *, void *, const SharedPointer *, void *,
                                void *);

static constinit RealFunction<EvaluateFn> RealEvaluate(Library, EVALUATE);

MEMKIT_EXPORT void torchEvaluate(void *, const SharedPointer *, void *, void *,
                                 const void *) asm(EVALUATE);

void torchEvaluate(void *Engine, const SharedPointer *Task, void *Node,
                   void *Inputs, const void *Queue) {
  EvaluateFn Real = RealEvaluate.get(MEMKIT_CALLER.Pc);
  uint32_t &Adopted = ThisPython.Adopted;
  auto Here = uintptr_t(__builtin_frame_address(0));
  // A call that has thrown an exception left its frames behind: its frame is
  // below this one, where the stack grows down.
  uintptr_t OuterCall = Evaluating > Here ? Evaluating : 0;
  uint32_t Outer = OuterCall ? Adopted : 0;
  Evaluating = Here;
  Adopted = Tasks.find(Task->Object);
  Real(Engine, Task, Node, Inputs, Queue);
  Adopted = Outer;
  Evaluating = OuterCall;
}

/// The result is an object that the caller provides.
template <class Fn>
static void *execute(RealFunction<Fn> &Real, void *Result, void *Engine,
                     const SharedPointer *Task, void *Root, void *Inputs,
                     const CallerFrame &Caller) {
  Fn F = Real.get(Caller.Pc);
  if (ThreadState *T = recordingThread())
    Tasks.set(Task->Object, interpreterNode(*T, Caller));
  return F(Result, Engine, Task, Root, Inputs);
}

#define DEFINE_EXECUTE(NAME, ROOT)                                             \
  static constinit RealFunction<ExecuteTaskFn> Real##NAME(Library,             \
                                                          EXECUTE(ROOT));      \
  MEMKIT_EXPORT void *torch##NAME(void *, void *, const SharedPointer *,       \
                                  void *, void *) asm(EXECUTE(ROOT));          \
  void *torch##NAME(void *Result, void *Engine, const SharedPointer *Task,     \
                    void *Root, void *Inputs) {                                \
    CallerFrame Caller = MEMKIT_CALLER;                                        \
    return execute(Real##NAME, Result, Engine, Task, Root, Inputs, Caller);    \
  }
DEFINE_EXECUTE(ExecuteShared, SHARED_ROOT)
DEFINE_EXECUTE(ExecuteIntrusive, INTRUSIVE_ROOT)

static const FrameworkHook EngineHooks[] = {{Library, EVALUATE},
                                            {Library, EXECUTE(SHARED_ROOT)},
                                            {Library, EXECUTE(INTRUSIVE_ROOT)},
                                            {}};
constinit const Source capture::BackwardSource = {.FrameworkHooks =
                                                      EngineHooks};
