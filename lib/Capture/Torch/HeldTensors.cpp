// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks modules and optimizers for their tensors.

#include "HeldTensors.h"

#include "Python/PythonCalls.h"
#include "Runtime/Hook.h"
#include "Runtime/Thread.h"
#include "Stacks/Stack.h"
#include "TorchHooks.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using wire::HeldBy;

/// The start of a tensor's memory; 0: no memory, or no tensor.
static uintptr_t memoryOf(void *Tensor) {
  void *Storage = Py.callMethod(Tensor, "untyped_storage");
  void *Number = Storage ? Py.callMethod(Storage, "data_ptr") : nullptr;
  uintptr_t Address = Number ? uintptr_t(Py.ToPointer(Number)) : 0;
  for (void *P : {Number, Storage})
    if (P)
      Py.Drop(P);
  Py.ClearError();
  return Address;
}

/// The start of the tensor's memory.
static uintptr_t tell(ThreadState &T, void *Tensor, HeldBy By, uint32_t Name) {
  uintptr_t Address = memoryOf(Tensor);
  if (Address && (hasRoom(T)))
    T.Ring.write(wire::TensorHeldRecord{Address, Name, By});
  return Address;
}

/// The number that an object is, which is dropped; false: none.
static bool takeNumber(void *Number, uint64_t &To) {
  if (!Number)
    return false;
  To = uint64_t(Py.ToPointer(Number));
  Py.Drop(Number);
  return true;
}

/// The text of a tensor's dtype, without `torch.`; 0: it has none.
static uint32_t dtypeOf(void *Tensor) {
  void *Dtype = Py.GetAttribute(Tensor, "dtype");
  void *Text = Dtype ? Py.ToText(Dtype) : nullptr;
  const char *Name = Text ? Py.Utf8(Text) : nullptr;
  constexpr char Prefix[] = "torch.";
  if (Name && !strncmp(Name, Prefix, sizeof(Prefix) - 1))
    Name += sizeof(Prefix) - 1;
  uint32_t Number = Name ? Proc.Names.intern(Name, strlen(Name)) : 0;
  for (void *P : {Text, Dtype})
    if (P)
      Py.Drop(P);
  return Number;
}

/// Records the size of a module's tensor. \p Address: of its memory; 0: it has
/// none.
static void measure(ThreadState &T, void *Tensor, uintptr_t Address,
                    uint32_t Name, bool IsBuffer) {
  using wire::LayerTensorRecord;
  uint64_t Bytes, Size; // of the tensor, of an element
  uint32_t Dtype = 0;
  // torch.jit.trace() takes calls of numel() for a part of the model.
  if (takeNumber(Py.GetAttribute(Tensor, "nbytes"), Bytes) &&
      takeNumber(Py.callMethod(Tensor, "element_size"), Size) && Size &&
      Size < LayerTensorRecord::BufferBit)
    Dtype = dtypeOf(Tensor);
  Py.ClearError();
  if (Dtype && hasRoom(T))
    T.Ring.write(LayerTensorRecord{
        Address ? Address : uintptr_t(Tensor), Bytes / Size,
        uint8_t(Size | (IsBuffer ? LayerTensorRecord::BufferBit : 0)), Name,
        Dtype});
}

void HeldTensors::reportModule(void *Module, uint32_t Name, bool IsReplica) {
  ThreadState *T = recordingThread();
  if (!T)
    return;
  if (!IsReplica && hasRoom(*T))
    T->Ring.write(wire::LayerTensorRecord{0, 0, 0, Name, 0});
  bool IsBuffer = false;
  for (const char *List : {"_parameters", "_buffers"}) {
    void *Held = Py.GetAttribute(Module, List);
    Py.forEachValue(Held, [&](void *Tensor) {
      uintptr_t Address = tell(*T, Tensor, HeldBy::Module, Name);
      if (!IsReplica)
        measure(*T, Tensor, Address, Name, IsBuffer);
    });
    IsBuffer = true;
    if (Held)
      Py.Drop(Held);
  }
}

//===----------------------------------------------------------------------===//
// Optimizers
//===----------------------------------------------------------------------===//

void HeldTensors::noteOptimizer(uintptr_t Optimizer) {
  uint32_t N = Count.load(std::memory_order_acquire);
  for (uint32_t I = 0; I != N; ++I)
    if (Known[I].load(std::memory_order_relaxed) == Optimizer)
      return;
  uintptr_t None = 0;
  if (N == MaxOptimizers || !Torch.layers().canAsk() ||
      !Asked.compare_exchange_strong(None, Optimizer,
                                     std::memory_order_acq_rel))
    return;
  // Nobody else adds one while it is asked for.
  Known[N].store(Optimizer, std::memory_order_relaxed);
  Count.store(N + 1, std::memory_order_release);
  if (!Py.Pending.ask(answer, nullptr))
    Asked.store(0, std::memory_order_release);
}

int HeldTensors::answer(void *) {
  HeldTensors &Self = Torch.held();
  // No other thread adds an optimizer while Asked is set.
  uintptr_t Optimizer = Self.Asked.load(std::memory_order_acquire);
  if (!Optimizer)
    return 0;
  {
    KeptError Kept;
    // A child of fork inherits the pending call, but has asked nothing.
    ThreadState *T = recordingThread();
    if (T && interpreterNode(*T, MEMKIT_CALLER) &&
        Operators::runningOptimizer() == Optimizer)
      Self.reportOptimizer(reinterpret_cast<void *>(Optimizer));
  }
  Self.Asked.store(0, std::memory_order_release);
  return 0;
}

/// Records the tensors that the optimizer trains, and the tensors of its state.
/// The state exists at the first step if the program has loaded it.
void HeldTensors::reportOptimizer(void *Optimizer) {
  ThreadState &T = *recordingThread();
  Py.Take(Optimizer);
  void *Groups = Py.GetAttribute(Optimizer, "param_groups");
  for (intptr_t I = 0, N = Groups ? Py.ListSize(Groups) : 0; I < N; ++I) {
    void *Group = Py.ListItem(Groups, I);
    void *Tensors = Group ? Py.DictItem(Group, "params") : nullptr;
    intptr_t Size = Tensors ? Py.ListSize(Tensors) : 0;
    for (intptr_t J = 0; J < Size; ++J)
      if (void *Tensor = Py.ListItem(Tensors, J))
        tell(T, Tensor, HeldBy::OptimizerGroup, 0);
  }
  Py.ClearError();
  void *State = Py.GetAttribute(Optimizer, "state");
  Py.forEachValue(State, [&](void *OfOne) {
    Py.forEachValue(OfOne, [&](void *Tensor) {
      tell(T, Tensor, HeldBy::OptimizerState, 0);
    });
  });
  for (void *P : {State, Groups, Optimizer})
    if (P)
      Py.Drop(P);
  Py.ClearError();
}
