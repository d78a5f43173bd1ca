// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codes of Python's instructions.

#include "CodeObjects.h"

#include "PythonWalk.h"
#include "Runtime/Process.h"
#include "Runtime/Source.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

template <typename T> static T load(uintptr_t Object, unsigned Offset) {
  return *reinterpret_cast<const T *>(Object + Offset);
}

bool CodeObjects::begin(int Fd, const wire::Regions &R, wire::Control &C) {
  Ctl = &C;
  return Functions.begin(Fd, R.Functions, R.MaxFunctions) &&
         Names.begin(Fd, R, C);
}

bool CodeObjects::beginIndex() {
  return ByAddress.begin() && Known.begin() && ByLine.begin() &&
         Names.beginIndex();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Objects are at multiples of 16: neighbours get neighbouring slots.
static uintptr_t functionKey(uintptr_t Code) { return Code >> 4 | Code << 60; }

uint32_t CodeObjects::newFunction(uintptr_t Code, const PythonLayout &L,
                                  char *Buffer) {
  uint32_t Id = Ctl->NextFunction.load(std::memory_order_relaxed);
  do
    if (!Functions.get(Id) || !ByLine.reserve(Id) || !First.get(Id))
      return 0;
  while (!Ctl->NextFunction.compare_exchange_weak(Id, Id + 1,
                                                  std::memory_order_acq_rel));
  auto Text = [&](unsigned Offset) {
    uint32_t Bytes = copyText(load<const void *>(Code, Offset), L, Buffer);
    return Names.intern(Buffer, Bytes);
  };
  wire::PythonFunction &F = Functions[Id];
  F.File = Text(L.FileName);
  F.Name = Text(L.Name);
  F.FirstLine = load<uint32_t>(Code, L.FirstLine);
  F.State.store(1, std::memory_order_release);
  noteFunction(Id);
  return Id;
}

static bool endsWith(const char *Text, uint32_t Bytes, const char *End) {
  size_t N = strlen(End);
  return Bytes >= N && !memcmp(Text + Bytes - N, End, N);
}

/// Notes the functions that start layers and optimizer steps. From PyTorch 2.0
/// on every call of a module goes through _wrapped_call_impl, whose self is the
/// first local and no cell. Every step of an optimizer goes through the wrapper
/// of profile_hook_step (before 3.11 known by the name `wrapper` alone). A
/// layer of Keras 3 builds its weights in Layer.__call__, and computes in
/// Operation.__call__.
void CodeObjects::noteFunction(uint32_t Id) {
  uint32_t NameBytes, FileBytes, Bit = 0;
  const char *Name = text(Functions[Id].Name, NameBytes);
  const char *File = Name ? text(Functions[Id].File, FileBytes) : nullptr;
  if (!File)
    return;
  auto Is = [&](const char *Function, const char *Of) {
    return endsWith(Name, NameBytes, Function) && endsWith(File, FileBytes, Of);
  };
  if (Is("_wrapped_call_impl", "torch/nn/modules/module.py"))
    Bit = LayerBit;
  else if (Is("profile_hook_step.<locals>.wrapper", "torch/optim/optimizer.py"))
    Bit = OptimizerBit;
  else if (NameBytes == 7 && Is("wrapper", "torch/optim/optimizer.py"))
    Bit = OptimizerBit;
  else if (Is("__call__", "keras/src/layers/layer.py") ||
           Is("__call__", "keras/src/ops/operation.py"))
    Bit = CR_KerasLayer;
  else if (Is("apply", "keras/src/optimizers/base_optimizer.py") &&
           (NameBytes == 5 || Is("BaseOptimizer.apply", "")))
    Bit = CR_KerasOptimizer;
  else if (Is("_gradient_function", "tensorflow/python/eager/backprop.py"))
    Bit = CR_Gradient;
  else if (Is("func_graph_from_py_func",
              "tensorflow/python/framework/func_graph.py"))
    Bit = CR_Tracing;
  else if (Is("run", "torch/_dynamo/symbolic_convert.py"))
    forSources(&Source::FoundCompiler);
  if (!Bit)
    return;
  uint32_t At = NumMarked.fetch_add(1, std::memory_order_relaxed);
  Marked[At % MaxMarked].store(uint64_t(Bit) << 32 | Id,
                               std::memory_order_release);
}

uint32_t CodeObjects::functionOf(uintptr_t Code, const PythonLayout &L,
                                 char *Buffer) {
  uintptr_t Key = functionKey(Code);
  if (CodeWord W = ByAddress.find(Key))
    return uint32_t(W.bits());
  uint32_t Id = newFunction(Code, L, Buffer);
  return Id ? uint32_t(ByAddress.insert(Key, CodeWord(Id)).bits()) : 0;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

uint32_t CodeObjects::lineCode(uint32_t Function, uint32_t Line, bool IsEntry) {
  constexpr uint32_t MaxLines = 1u << (decltype(ByLine)::CodeBits - 1);
  Line = Line < MaxLines ? Line : 0;
  uint32_t Key = Line << 1 | IsEntry;
  if (uint32_t Code = ByLine.find(Function, Key))
    return Code;
  uint32_t Code = Stacks.Table.newCode(Line, Function,
                                       IsEntry ? wire::CodeKind::PythonEntry
                                               : wire::CodeKind::Python);
  uint32_t In = Code ? ByLine.insert(Function, Key, Code) : 0;
  return In ? In : Code;
}

/// 0: no room.
uint32_t CodeObjects::newInstruction() {
  uint64_t Is = FreeInstruction.load(std::memory_order_acquire);
  while (uint32_t Id = uint32_t(Is)) {
    uint64_t Next = Instructions.get(Id)->Next.load(std::memory_order_relaxed);
    if (FreeInstruction.compare_exchange_weak(Is, ((Is >> 32) + 1) << 32 | Next,
                                              std::memory_order_acq_rel))
      return Id;
  }
  uint32_t Number = NumInstructions.load(std::memory_order_relaxed);
  do
    if (!Instructions.get(Number + 1))
      return 0;
  while (!NumInstructions.compare_exchange_weak(Number, Number + 1,
                                                std::memory_order_acq_rel));
  return Number + 1;
}

void CodeObjects::freeInstructions(uint32_t First, uint32_t Last) {
  Instruction *L = Instructions.get(Last);
  uint64_t Is = FreeInstruction.load(std::memory_order_acquire);
  do
    L->Next.store(uint32_t(Is), std::memory_order_relaxed);
  while (!FreeInstruction.compare_exchange_weak(
      Is, ((Is >> 32) + 1) << 32 | First, std::memory_order_acq_rel));
}

/// Remembers a word only if the word can be removed again with its function.
InstructionWord CodeObjects::keep(uint32_t Function, uintptr_t Key,
                                  InstructionWord W) {
  uint32_t Id = Key ? newInstruction() : 0;
  if (!Id)
    return W;
  Instruction &I = *Instructions.get(Id);
  std::atomic<uint32_t> &Head = *First.get(Function);
  I.Key.store(Key, std::memory_order_relaxed);
  uint32_t Next = Head.load(std::memory_order_relaxed);
  do
    I.Next.store(Next, std::memory_order_relaxed);
  while (!Head.compare_exchange_weak(Next, Id, std::memory_order_acq_rel));
  return InstructionWord(Known.insert(Key, W.word()));
}

InstructionWord CodeObjects::enter(const PythonPlace &P, const PythonLayout &L,
                                   int (*LineOf)(void *, int), char *Buffer) {
  uint32_t Function = functionOf(P.Code, L, Buffer);
  if (!Function)
    return InstructionWord::make(0);
  int Line = LineOf(reinterpret_cast<void *>(P.Code), int(P.Offset));
  uint32_t Code = lineCode(Function, Line > 0 ? uint32_t(Line) : 0, P.IsEntry);
  InstructionWord W = InstructionWord::make(Code ? Code | bitOf(Function) : 0);
  return Code ? keep(Function, P.Key, W) : W;
}

InstructionWord CodeObjects::enterHidden(const PythonPlace &P,
                                         const PythonLayout &L, char *Buffer) {
  InstructionWord W = InstructionWord::make(0);
  uint32_t Function = functionOf(P.Code, L, Buffer);
  return Function ? keep(Function, P.Key, W) : W;
}

bool CodeObjects::forget(uintptr_t Code) {
  uint32_t Function = uint32_t(ByAddress.take(functionKey(Code)).bits());
  if (!Function)
    return false;
  uint32_t Begin = First.get(Function)->exchange(0, std::memory_order_acq_rel);
  uint32_t Last = 0;
  for (uint32_t Id = Begin; Id;) {
    const Instruction &I = *Instructions.get(Id);
    Known.take(I.Key.load(std::memory_order_relaxed));
    Last = Id;
    Id = I.Next.load(std::memory_order_relaxed);
  }
  if (Last)
    freeInstructions(Begin, Last);
  return true;
}
