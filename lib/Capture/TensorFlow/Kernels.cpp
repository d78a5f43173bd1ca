// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators that TensorFlow runs.
//
// An operator of a graph has the name of its node, which is a path of layers
// (`net/dense/MatMul`); the recorder divides the path. An operator of a
// function runs in any thread. Its step id leads to the Python frames of the
// function's caller, which the thread adopts.

#include "CallWalk.h"
#include "Names.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Shapes.h"
#include "Stacks/RealFunction.h"
#include "Stacks/Stack.h"
#include "TensorFlowHooks.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::tf;

//===----------------------------------------------------------------------===//
// The type of an operator
//===----------------------------------------------------------------------===//

namespace {
/// std::string_view of libstdc++.
struct StringView {
  size_t Bytes;
  const char *Text;
};
} // namespace

/// The offset of the type's view in an OpKernel: behind the name's. 0: not
/// known; NoOffset: not found.
static constinit std::atomic<uint32_t> TypeOffset{0};
static constexpr uint32_t NoOffset = ~0u;

/// `MatMul`, `_FusedMatMul`, `__inference_f_12`.
static bool isType(const StringView &V) {
  if (!V.Text || !V.Bytes || V.Bytes > 200)
    return false;
  for (size_t I = 0; I != V.Bytes; ++I) {
    char C = V.Text[I];
    bool IsLetter = (C >= 'A' && C <= 'Z') || (C >= 'a' && C <= 'z');
    if (!IsLetter && C != '_' && (!I || C < '0' || C > '9') && C != '>')
      return false;
  }
  return true;
}

/// Finds the view of the name, which follows from TensorFlow's own function,
/// and takes the next one as the type. An OpKernel of 2.16 and 2.21 has 232
/// bytes.
__attribute__((noinline)) static uint32_t findType(const void *Kernel,
                                                   const NameView &Name) {
  constexpr uint32_t First = 8, Last = 232 - 2 * sizeof(StringView);
  auto At = [&](uint32_t Offset) {
    return reinterpret_cast<const StringView *>(
        static_cast<const char *>(Kernel) + Offset);
  };
  uint32_t Found = NoOffset;
  for (uint32_t I = First; I <= Last && Found == NoOffset;
       I += sizeof(uintptr_t))
    if (At(I)->Text == Name.Text && At(I)->Bytes == Name.Bytes &&
        At(I)[1].Text && isType(At(I)[1]))
      Found = I + sizeof(StringView);
  TypeOffset.store(Found, std::memory_order_release);
  return Found;
}

/// The type of a kernel; without one, the last part of the name.
static NameView typeOf(const void *Kernel, const NameView &Name) {
  uint32_t Offset = TypeOffset.load(std::memory_order_acquire);
  if (__builtin_expect(!Offset, 0))
    Offset = findType(Kernel, Name);
  if (__builtin_expect(Offset == NoOffset, 0)) {
    Hooks.reportMissing(wire::TF_NoTypes);
    auto *Slash =
        static_cast<const char *>(memrchr(Name.Text, '/', Name.Bytes));
    if (!Slash)
      return Name;
    return {Slash + 1, size_t(Name.Text + Name.Bytes - Slash - 1)};
  }
  auto *V = reinterpret_cast<const StringView *>(
      static_cast<const char *>(Kernel) + Offset);
  return {V->Text, V->Bytes};
}

/// Does the operator only hand over the arguments or results of a function?
/// Such operators are half of all, and allocate nothing.
static bool isHandover(const NameView &Type) {
  auto Is = [&](const char *Name) {
    return Type.Bytes == strlen(Name) && !memcmp(Type.Text, Name, Type.Bytes);
  };
  return Type.Text[0] == '_' && (Is("_Arg") || Is("_Retval") ||
                                 Is("_DeviceArg") || Is("_DeviceRetval"));
}

//===----------------------------------------------------------------------===//
// Names of nodes
//===----------------------------------------------------------------------===//

static constexpr size_t MaxMadeName = 512;

/// The node's name, if it is a path; empty: it is none. An operator that
/// computes a gradient outside of graphs gets the name that its node would
/// have, in \p Room.
static NameView nodeName(const NameView &Name, const NameView &Type,
                         uint32_t PythonNode, char (&Room)[MaxMadeName]) {
  if (memchr(Name.Text, '/', Name.Bytes))
    return Name;
  if (!isInGradient(PythonNode))
    return {Room, 0};
  static constexpr char Prefix[] = "gradient_tape/";
  size_t End = sizeof(Prefix) - 1;
  memcpy(Room, Prefix, End);
  End += copyGradientScope(Room + End, 256);
  if (Room[End - 1] != '/')
    Room[End++] = '/';
  size_t Bytes = Type.Bytes < 200 ? Type.Bytes : 200;
  memcpy(Room + End, Type.Text, Bytes);
  return {Room, End + Bytes};
}

namespace {
/// The node's name, and behind a newline the inputs, if they are wanted.
struct NodeText {
  uint32_t Number = 0; ///< 0: neither
  uint64_t Flags = 0;
};
} // namespace

/// The inputs of an operator whose name leaves room for them.
static uint32_t textWithInputs(const void *Context, const NameView &Node,
                               const NameView &Type) {
  char Text[2048];
  if (Node.Bytes >= sizeof(Text) / 2)
    return 0;
  memcpy(Text, Node.Text, Node.Bytes);
  Text[Node.Bytes] = '\n';
  size_t End = Node.Bytes + 1;
  size_t Inputs = inputsText(Context, Type, Text + End, sizeof(Text) - End);
  return Inputs ? Proc.Names.intern(Text, End + Inputs) : 0;
}

static NodeText nodeText(const void *Context, const NameView &Name,
                         const NameView &Type, uint32_t PythonNode) {
  char Room[MaxMadeName];
  NameView Node = nodeName(Name, Type, PythonNode, Room);
  if (__builtin_expect(Hooks.wantsShapes(), 0))
    if (uint32_t With = textWithInputs(Context, Node, Type))
      return {With, wire::SF_WithInputs};
  return {Node.Bytes ? Proc.Names.intern(Node.Text, Node.Bytes) : 0, 0};
}

static uint64_t dataType(const void *Context) {
  if (Called.Missing & wire::TF_NoData || Called.NumOutputs(Context) < 1)
    return 0;
  return uint64_t(uint8_t(Called.OutputType(Context, 0)))
         << wire::SF_DataTypeShift;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// OpenScope::Function of a link to a function.
static const char Link = 0;

/// Links a thread without Python frames to the function of the step. Inside of
/// an operator the link stays: the operator's function may run others, with
/// steps of their own.
static void followStep(ThreadState &T, int64_t Step) {
  TensorFlowThread &S = ThisTensorFlow;
  ScopeStack &Scopes = S.Scopes;
  bool IsLinked = Scopes.Count && Scopes.Scopes[0].Function == &Link;
  if (S.Step == Step || Scopes.Count > IsLinked)
    return;
  if (IsLinked)
    Scopes.closeFrom(T, 0);
  uint64_t Number = 0;
  S.Step = Step;
  S.StepNode = 0;
  if (!Hooks.steps().find(Step, Number, S.StepNode) || !Number)
    return;
  Scopes.open(T, {&Link, 0, 0, 0}, 0,
              wire::SF_Range | wire::SF_TensorFlow | wire::SF_Link, Number);
}

/// The node of the thread's Python frames, which scopes of layers follow, or of
/// the frames that the thread works for.
static uint32_t followCaller(ThreadState &T, const void *Context,
                             const CallerFrame &Caller) {
  ThisPython.Adopted = 0;
  uint32_t Node = interpreterNode(T, Caller);
  if (Node) {
    followCalls(T, Node);
    return Node;
  }
  if (Called.StepId)
    followStep(T, Called.StepId(Context));
  ThisPython.Adopted = ThisTensorFlow.StepNode;
  return 0;
}

//===----------------------------------------------------------------------===//
// The functions that TensorFlow calls
//===----------------------------------------------------------------------===//

/// Opens the scope of an operator; returns its place, or NotOpen.
static uint32_t beginOperator(const void *Kernel, const void *Context,
                              const CallerFrame &Caller) {
  ThreadState *T = scopesThread();
  if (!T)
    return NotOpen;
  NameView Name = Called.OperatorName(Context);
  NameView Type = typeOf(Kernel, Name);
  if (isHandover(Type))
    return NotOpen;
  uint32_t Node = followCaller(*T, Context, Caller);
  ScopeStack &S = ThisTensorFlow.Scopes;
  uint32_t Place = S.Count;
  // A function that XLA compiles is an operator.
  FunctionText Buffer;
  NameView Text = Type.Bytes > 2 && !memcmp(Type.Text, "__", 2)
                      ? functionName(Type, Buffer)
                      : Type;
  NodeText In = nodeText(Context, Name, Type, Node);
  S.open(*T, {Kernel, 0, 0, 0}, Proc.Names.intern(Text.Text, Text.Bytes),
         wire::SF_Operator | wire::SF_TensorFlow | In.Flags | dataType(Context),
         wire::ScopeBeginRecord::inPython(Node, In.Number));
  return Place;
}

/// Before the end of the operator, which has computed.
static void noteWork(const void *Kernel, const void *Context, uint32_t Place) {
  if (__builtin_expect(Place == NotOpen || !Hooks.wantsShapes(), 1))
    return;
  ThreadState *T = recordingThread();
  if (!T || !hasRoom(*T))
    return;
  NameView Name = Called.OperatorName(Context);
  if (uint64_t Flops = flopsOf(Context, typeOf(Kernel, Name)))
    T->Ring.write(wire::OperatorWorkRecord{Flops});
}

/// The thread adopts the caller's frames for operators only.
static void endOperator(uint32_t Place) {
  if (Place == NotOpen)
    return;
  endScope(Place);
  if (Place <= 1)
    ThisPython.Adopted = 0;
}

using ComputeFn = void (*)(void *, void *, void *);
using ComputeAsyncFn = void (*)(void *, void *, void *, void *);

/// The functions of the host's device and of a GPU's. \p Done: a
/// std::function, which the caller passes by its address. The scope of an
/// asynchronous operator ends when the call returns, although the operator may
/// go on in another thread.
#define MEMKIT_DEVICE(NAME, COMPUTE, COMPUTE_ASYNC)                            \
  static constinit RealFunction<ComputeFn> Real##NAME(Framework, COMPUTE);     \
  static constinit RealFunction<ComputeAsyncFn> Real##NAME##Async(             \
      Framework, COMPUTE_ASYNC);                                               \
  MEMKIT_EXPORT void NAME(void *, void *, void *) asm(COMPUTE);                \
  MEMKIT_EXPORT void NAME##Async(void *, void *, void *,                       \
                                 void *) asm(COMPUTE_ASYNC);                   \
  void NAME(void *Device, void *Kernel, void *Context) {                       \
    CallerFrame Caller = MEMKIT_CALLER;                                        \
    uint32_t Place = beginOperator(Kernel, Context, Caller);                   \
    Real##NAME.get(Caller.Pc)(Device, Kernel, Context);                        \
    noteWork(Kernel, Context, Place);                                          \
    endOperator(Place);                                                        \
  }                                                                            \
  void NAME##Async(void *Device, void *Kernel, void *Context, void *Done) {    \
    CallerFrame Caller = MEMKIT_CALLER;                                        \
    uint32_t Place = beginOperator(Kernel, Context, Caller);                   \
    Real##NAME##Async.get(Caller.Pc)(Device, Kernel, Context, Done);           \
    endOperator(Place);                                                        \
  }
MEMKIT_DEVICE(tfCompute, TF_COMPUTE, TF_COMPUTE_ASYNC)
MEMKIT_DEVICE(tfDeviceCompute, TF_DEVICE_COMPUTE, TF_DEVICE_COMPUTE_ASYNC)
#undef MEMKIT_DEVICE
