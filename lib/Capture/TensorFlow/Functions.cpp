// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions: tf.function, and XLA's programs.
//
// TFE_Execute runs an operator or a function for Python, in the caller's
// thread. For a function, RunSync runs the graph under a step id, in threads of
// TensorFlow; the table of steps has the function's range and the caller's
// Python frames meanwhile.

#include "Names.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Stacks/RealFunction.h"
#include "Stacks/Stack.h"
#include "TensorFlowHooks.h"
#include "Unwind/Bounds.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::tf;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

NameView tf::functionName(const NameView &Name, FunctionText &To) {
  struct {
    const char *Is, *Means;
  } static constexpr Prefixes[] = {{"__inference_", ""},
                                   {"a_inference_", ""}, // of XLA
                                   {"__forward_", ""},
                                   {"__backward_", "gradient of "}};
  const char *Text = Name.Text;
  size_t Bytes = Name.Bytes, End = 0;
  for (const auto &P : Prefixes)
    if (size_t N = strlen(P.Is); Bytes > N && !memcmp(Text, P.Is, N)) {
      Text += N;
      Bytes -= N;
      End = strlen(P.Means);
      memcpy(To.Characters, P.Means, End);
      break;
    }
  size_t Digits = Bytes;
  while (Digits && Text[Digits - 1] >= '0' && Text[Digits - 1] <= '9')
    --Digits;
  if (Text != Name.Text && Digits > 1 && Digits != Bytes &&
      Text[Digits - 1] == '_')
    Bytes = Digits - 1;
  size_t Room = sizeof(To.Characters) - End;
  Bytes = Bytes < Room ? Bytes : Room;
  memcpy(To.Characters + End, Text, Bytes);
  return {To.Characters, End + Bytes};
}

//===----------------------------------------------------------------------===//
// tf.function
//===----------------------------------------------------------------------===//

/// Opens the range of a function; returns the range's place, or NotOpen for an
/// operator.
static uint32_t beginFunction(const void *Op, void *Status,
                              const CallerFrame &Caller) {
  ThreadState *T = scopesThread();
  if (!T || !Called.CallName)
    return NotOpen;
  const char *Name = Called.CallName(Op, Status);
  if (!Name || strncmp(Name, "__", 2))
    return NotOpen;
  Hooks.names().functionRuns();
  FunctionText Buffer;
  NameView Text = functionName({Name, strlen(Name)}, Buffer);
  uint32_t Node = interpreterNode(*T, Caller);
  followCalls(*T, Node);
  ScopeStack &S = ThisTensorFlow.Scopes;
  uint32_t Place = S.Count;
  S.open(*T, {Op, 0, 0, 0}, Proc.Names.intern(Text.Text, Text.Bytes),
         wire::SF_Range | wire::SF_TensorFlow | wire::SF_Function,
         wire::ScopeBeginRecord::inPython(Node));
  if (Place == S.Count)
    return NotOpen;
  ThisTensorFlow.Function = {S.Scopes[Place].Number, Node};
  return Place;
}

using ExecuteFn = void (*)(void *, void **, int *, void *);
static constinit RealFunction<ExecuteFn> RealExecute(Cc, "TFE_Execute");

MEMKIT_EXPORT void TFE_Execute(void *Op, void **Results, int *Count,
                               void *Status) {
  CallerFrame Caller = MEMKIT_CALLER;
  RunningFunction Outer = ThisTensorFlow.Function;
  uint32_t Place = beginFunction(Op, Status, Caller);
  RealExecute.get(Caller.Pc)(Op, Results, Count, Status);
  if (Place == NotOpen)
    return;
  ThisTensorFlow.Function = Outer;
  endScope(Place);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// As RunSync(options, handle, a span in two registers, results). The result is
/// a Status in memory. Options begins with the step id.
using RunSyncFn = void *(*)(void *, void *, const int64_t *, uint64_t, void *,
                            size_t, void *);

static void *runSync(RunSyncFn Real, void *Result, void *Self,
                     const int64_t *Options, uint64_t Handle, void *Arguments,
                     size_t Count, void *Results) {
  RunningFunction F = ThisTensorFlow.Function;
  int64_t Step = F.Number || F.Node ? *Options : StepTable::Free;
  bool IsStep = Step != StepTable::Free && Step != StepTable::Taken;
  if (IsStep)
    Hooks.steps().add(Step, F.Number, F.Node);
  Real(Result, Self, Options, Handle, Arguments, Count, Results);
  if (IsStep)
    Hooks.steps().remove(Step);
  return Result;
}

#define MEMKIT_RUN_SYNC(NAME, ABSL)                                            \
  static constinit RealFunction<RunSyncFn> Real##NAME(Framework,               \
                                                      TF_RUN_SYNC(ABSL));      \
  MEMKIT_EXPORT void *NAME(void *, void *, const int64_t *, uint64_t, void *,  \
                           size_t, void *) asm(TF_RUN_SYNC(ABSL));             \
  void *NAME(void *Result, void *Self, const int64_t *Options,                 \
             uint64_t Handle, void *Arguments, size_t Count, void *Results) {  \
    CallerFrame Caller = MEMKIT_CALLER;                                        \
    return runSync(Real##NAME.get(Caller.Pc), Result, Self, Options, Handle,   \
                   Arguments, Count, Results);                                 \
  }
MEMKIT_RUN_SYNC(tfRunSync2023, TF_ABSL_2023)
MEMKIT_RUN_SYNC(tfRunSync2025, TF_ABSL_2025)
#undef MEMKIT_RUN_SYNC

//===----------------------------------------------------------------------===//
// XLA
//===----------------------------------------------------------------------===//

/// The name of a program. Of 2.16 the module of the program has the name, a
/// std::string behind its first word.
static NameView programName(const void *Program) {
  if (Called.ProgramName) {
    // std::string_view: the size comes first.
    NameView Swapped = Called.ProgramName(Program);
    return {reinterpret_cast<const char *>(Swapped.Bytes),
            reinterpret_cast<size_t>(Swapped.Text)};
  }
  const void *Module =
      Called.ProgramModule ? Called.ProgramModule(Program) : nullptr;
  return Module ? static_cast<const NameView *>(static_cast<const void *>(
                      static_cast<const char *>(Module) + sizeof(void *)))[0]
                : NameView{nullptr, 0};
}

static bool isName(const NameView &Name) {
  if (!Name.Text || !Name.Bytes || Name.Bytes > 512 ||
      !allReadable(uintptr_t(Name.Text), uintptr_t(Name.Text) + Name.Bytes))
    return false;
  for (size_t I = 0; I != Name.Bytes; ++I)
    if (Name.Text[I] <= ' ' || Name.Text[I] > '~')
      return false;
  return true;
}

/// `f`, for a program of the function f; `cluster_0` for a part of a graph.
static NameView shortName(NameView Name, FunctionText &To) {
  static constexpr char Options[] = "__Xla";
  if (auto *End = static_cast<const char *>(
          memmem(Name.Text, Name.Bytes, Options, sizeof(Options) - 1)))
    Name.Bytes = size_t(End - Name.Text);
  return functionName(Name, To);
}

/// Opens the range of a program, `XLA f`.
static uint32_t beginProgram(const void *Program) {
  ThreadState *T = scopesThread();
  if (!T)
    return NotOpen;
  NameView Name = programName(Program);
  if (!isName(Name))
    Name = {"program", strlen("program")};
  FunctionText Short;
  Name = shortName(Name, Short);
  char Text[sizeof(Short.Characters) + 4];
  memcpy(stpcpy(Text, "XLA "), Name.Text, Name.Bytes);
  ScopeStack &S = ThisTensorFlow.Scopes;
  uint32_t Place = S.Count;
  S.open(*T, {Program, 0, 0, 0}, Proc.Names.intern(Text, 4 + Name.Bytes),
         wire::SF_Range | wire::SF_TensorFlow, 0);
  return Place;
}

/// Up to five arguments in registers; the result is in memory.
using ProgramFn = void *(*)(void *, void *, void *, void *, void *);

static void *runProgram(ProgramFn Real, void *Result, void *Program,
                        void *Options, void *Arguments, void *Profile) {
  uint32_t Place = beginProgram(Program);
  Real(Result, Program, Options, Arguments, Profile);
  if (Place != NotOpen)
    endScope(Place);
  return Result;
}

#define MEMKIT_RUN_PROGRAM(NAME, PROFILE)                                      \
  static constinit RealFunction<ProgramFn> Real##NAME(                         \
      Cc, TF_RUN_PROGRAM(PROFILE));                                            \
  MEMKIT_EXPORT void *NAME(void *, void *, void *, void *,                     \
                           void *) asm(TF_RUN_PROGRAM(PROFILE));               \
  void *NAME(void *Result, void *Program, void *Options, void *Arguments,      \
             void *Profile) {                                                  \
    CallerFrame Caller = MEMKIT_CALLER;                                        \
    return runProgram(Real##NAME.get(Caller.Pc), Result, Program, Options,     \
                      Arguments, Profile);                                     \
  }
MEMKIT_RUN_PROGRAM(tfRunProgram, "")
MEMKIT_RUN_PROGRAM(tfRunProfiledProgram, TF_WITH_PROFILE)
#undef MEMKIT_RUN_PROGRAM
