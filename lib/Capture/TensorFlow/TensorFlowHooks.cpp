// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the tensors, operators and functions of TensorFlow 2.

#include "TensorFlowHooks.h"

#include "Names.h"
#include "Runtime/Recording.h"
#include "Runtime/Symbols.h"
#include "Runtime/TensorSlots.h"
#include "Stacks/Exports.h"
#include "Stacks/Loader.h"
#include "Stacks/RealFunction.h"
#include "Stacks/Stack.h"

#include <cstring>
#include <link.h>

using namespace memkit;
using namespace memkit::capture;

tf::KerasNames &tf::kerasNames() { return Hooks.names(); }

//===----------------------------------------------------------------------===//
// What the loaded version has
//===----------------------------------------------------------------------===//

tf::CalledFunctions tf::Called;

static bool hasInFramework(const char *Name) {
  return symbolOfLoaded(tf::Framework, Name);
}
static bool hasInCc(const char *Name) { return symbolOfLoaded(tf::Cc, Name); }

template <class Fn>
static bool find(const char *Library, const char *Name, Fn &To) {
  To = reinterpret_cast<Fn>(symbolOfLoaded(Library, Name));
  return To;
}

static uint32_t missingOfCc() {
  using namespace tf;
  uint32_t Missing = 0;
  if (!find(Cc, "TFE_OpGetName", Called.CallName) || !hasInCc("TFE_Execute"))
    Missing |= wire::TF_NoFunctions;
  if (!hasInCc(TF_RUN_PROGRAM("")) && !hasInCc(TF_RUN_PROGRAM(TF_WITH_PROFILE)))
    Missing |= wire::TF_NoPrograms;
  find(Cc, TF_PROGRAM_NAME, Called.ProgramName);
  find(Cc, TF_PROGRAM_MODULE, Called.ProgramModule);
  find(Cc, "TF_Version", Called.Version);
  return Missing;
}

/// Concurrent threads find the same functions.
static void lookUp() {
  using namespace tf;
  uint32_t Missing = 0;
  if (!hasInFramework(TF_ALLOCATE) && !hasInFramework(TF_BASE_ALLOCATOR))
    Missing |= wire::TF_NoTensors;
  if (!find(Framework, "TF_GetOpKernelName", Called.OperatorName) ||
      !hasInFramework(TF_COMPUTE))
    Missing |= wire::TF_NoOperators;
  if (!find(Framework, "TF_GetStepId", Called.StepId) ||
      (!hasInFramework(TF_RUN_SYNC(TF_ABSL_2023)) &&
       !hasInFramework(TF_RUN_SYNC(TF_ABSL_2025))))
    Missing |= wire::TF_NoSteps;
  if (!find(Framework, "TF_NumOutputs", Called.NumOutputs) ||
      !find(Framework, "TF_ExpectedOutputDataType", Called.OutputType))
    Missing |= wire::TF_NoData;
  find(Framework, "TF_NumInputs", Called.NumInputs);
  find(Framework, TF_INPUT, Called.Input);
  find(Framework, TF_RESULT, Called.Result);
  find(Framework, TF_RANK, Called.Rank);
  find(Framework, TF_DIMENSION, Called.Dimension);
  Missing |= missingOfCc();
  Called.Missing = Missing | wire::TF_Seen;
}

/// A child of fork looks nothing up: another thread of the parent may have held
/// the loader's lock at the fork.
bool tf::TensorFlowHooks::examine() {
  if (!Called.Missing)
    lookUp();
  wire::SourceFinding &Found = Ctl->Findings[wire::FS_TensorFlow];
  if (const char *Version = Called.Version ? Called.Version() : nullptr)
    strncpy(Found.Name, Version, sizeof(Found.Name) - 1);
  Found.Code.fetch_or(Called.Missing, std::memory_order_release);
  bool Has = !(Called.Missing & wire::TF_NoOperators);
  State.store(Has ? Usable : Unusable, std::memory_order_release);
  return Has;
}

uint32_t tf::TensorFlowHooks::hostSlot() {
  constexpr uint16_t Host = 0xff00; // c10's CPU: type 0, index -1
  uint32_t Is = Slot.load(std::memory_order_relaxed);
  if (__builtin_expect(Is != 0, 1))
    return Is - 1;
  uint32_t Found = tensorSlot(
      *Ctl,
      wire::TensorDeviceWord::pack(wire::TensorFramework::TensorFlow, Host));
  Slot.store(Found + 1, std::memory_order_relaxed);
  return Found;
}

//===----------------------------------------------------------------------===//
// Scopes of a thread
//===----------------------------------------------------------------------===//

__thread tf::TensorFlowThread tf::ThisTensorFlow;

ThreadState *tf::scopesThread() {
  ThreadState *T = recordingThread();
  return T && Hooks.wantsScopes() && areScopesRecorded() &&
                 Hooks.isExamined() && ThisTensorFlow.Scopes.hasMemory()
             ? T
             : nullptr;
}

void tf::endScope(uint32_t Place) {
  ThreadState *T = recordingThread();
  ScopeStack &S = ThisTensorFlow.Scopes;
  if (T && Place < S.Count)
    S.closeFrom(*T, Place);
}

//===----------------------------------------------------------------------===//
// Of a process and its threads
//===----------------------------------------------------------------------===//

static bool connectSource(int, const wire::Regions &, wire::Control &C) {
  tf::Hooks.begin(C);
  return true;
}

static void startThread() {
  ScopeStack &S = tf::ThisTensorFlow.Scopes;
  S.Count = 0;
  tf::ThisTensorFlow.Function = {};
  tf::ThisTensorFlow.Step = tf::StepTable::Free;
}

static void endThread() {
  tf::ThisTensorFlow.Scopes.release();
  tf::ThisTensorFlow = {};
}

static void foundInterpreter(const void *LinkMap) {
  tf::Hooks.names().begin(Exports(LinkMap));
}

/// A version whose functions have other names never calls a hook.
static void foundBinary(const void *LinkMap) {
  const char *Path = static_cast<const link_map *>(LinkMap)->l_name;
  const char *Name = strrchr(Path, '/');
  static constexpr char Library[] = "libtensorflow_framework.so";
  if (strncmp(Name ? Name + 1 : Path, Library, sizeof(Library) - 1))
    return;
  Exports E(LinkMap);
  uint32_t Missing = 0;
  if (!E.find(TF_ALLOCATE) && !E.find(TF_BASE_ALLOCATOR))
    Missing |= wire::TF_NoTensors;
  if (!E.find(TF_COMPUTE))
    Missing |= wire::TF_NoOperators;
  if (Missing)
    tf::Hooks.reportMissing(Missing | wire::TF_Seen);
}

static void beforeScope(ThreadState &T, const CallerFrame &Caller) {
  if (tf::ThisTensorFlow.Scopes.Scopes)
    tf::followCalls(T, interpreterNode(T, Caller));
}

static const FrameworkHook SymbolHooks[] = {
    {tf::Framework, TF_DEALLOCATE, true},
    {tf::Framework, TF_DEVICE_FREE, true},
    {tf::Framework, TF_ALLOCATE},
    {tf::Framework, TF_ALLOCATE_REGION},
    {tf::Framework, TF_BASE_ALLOCATOR},
    {tf::Framework, TF_DEVICE_ALLOCATE},
    {tf::Framework, TF_DEVICE_EXTEND},
    {tf::Framework, TF_DEVICE_REGION},
    {tf::Framework, TF_DEVICE_MORE_REGION},
    {tf::Framework, TF_COMPUTE},
    {tf::Framework, TF_COMPUTE_ASYNC},
    {tf::Framework, TF_DEVICE_COMPUTE},
    {tf::Framework, TF_DEVICE_COMPUTE_ASYNC},
    {tf::Framework, TF_RUN_SYNC(TF_ABSL_2023)},
    {tf::Framework, TF_RUN_SYNC(TF_ABSL_2025)},
    {tf::Cc, "TFE_Execute"},
    {tf::Cc, TF_RUN_PROGRAM("")},
    {tf::Cc, TF_RUN_PROGRAM(TF_WITH_PROFILE)},
    {}};

constinit tf::ProcessTensorFlow tf::Hooks;
constinit const Source capture::TensorFlowSource = {
    .State = &tf::Hooks,
    .StateBytes = sizeof(tf::Hooks),
    .Connect = connectSource,
    .StartThread = startThread,
    .EndThread = endThread,
    .FoundInterpreter = foundInterpreter,
    .FoundBinary = foundBinary,
    .BeforeScope = beforeScope,
    .FrameworkHooks = SymbolHooks};
