// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of Keras's layers.

#include "KerasNames.h"

#include "CallWalk.h"
#include "KerasVariables.h"
#include "Python/ObjectClass.h"
#include "Python/PythonCalls.h"
#include "Runtime/Hook.h"
#include "Runtime/Thread.h"
#include "Stacks/Stack.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::tf;

/// The layer runs, so the object is alive.
__attribute__((noinline)) uint64_t KerasNames::unnamed(uintptr_t Layer) {
  const char *Class = typeName(typeOf(Layer));
  size_t Bytes = strlen(Class);
  if (!Questions.canAsk() || !Questions.isAffordable())
    return Proc.Names.intern(Class, Bytes);
  Questions.ask(Layer, answer, this);
  return Waits.textFor(identityOf(Layer), Class, Bytes);
}

void KerasNames::askAgain() {
  if (!Questions.canAsk() || !Questions.isAffordable())
    return;
  Again.store(true, std::memory_order_relaxed);
  Questions.ask(uintptr_t(this), answer, this);
}

void KerasNames::outermostRuns(uintptr_t Layer) {
  for (RootLayer &R : Roots) {
    uintptr_t Is = R.Layer.load(std::memory_order_relaxed);
    if (!Is && R.Layer.compare_exchange_strong(Is, Layer))
      return HasNew.store(true, std::memory_order_relaxed);
    if (Is != Layer)
      continue;
    if (!R.IsReported.load(std::memory_order_relaxed))
      askAgain();
    return;
  }
}

//===----------------------------------------------------------------------===//
// By the interpreter
//===----------------------------------------------------------------------===//

int KerasNames::answer(void *Names) {
  KerasNames &Self = *static_cast<KerasNames *>(Names);
  Self.Questions.answer([&](uintptr_t) {
    Self.nameRunning();
    if (Self.Again.exchange(false, std::memory_order_relaxed))
      Self.reportRoots();
  });
  return 0;
}

/// Names the layers that run in this thread, and the layers in the outermost.
void KerasNames::nameRunning() {
  ThreadState *T = recordingThread();
  if (!T || !interpreterNode(*T, MEMKIT_CALLER))
    return;
  // The answers run Python, which changes the thread's last walk.
  constexpr uint32_t MaxLayers = 16;
  void *Layers[MaxLayers];
  uint32_t Count = 0;
  PythonCallWalk Walk;
  for (PythonCall C; Count != MaxLayers && Walk.next(C);)
    if (C.Role == CR_KerasLayer) {
      Layers[Count] = reinterpret_cast<void *>(C.Object);
      Py.Take(Layers[Count++]);
    }
  if (Count)
    nameAll(Layers[0]);
  for (uint32_t I = 0; I != Count; ++I) {
    nameOne(Layers[I]);
    Py.Drop(Layers[I]);
  }
}

/// A layer whose name is known lives.
void KerasNames::reportRoots() {
  HasNew.store(false, std::memory_order_relaxed);
  for (RootLayer &R : Roots) {
    uintptr_t Layer = R.Layer.load(std::memory_order_relaxed);
    if (!Layer || R.IsReported.load(std::memory_order_relaxed) ||
        !Table.find(Layer))
      continue;
    R.IsReported.store(true, std::memory_order_relaxed);
    nameAll(reinterpret_cast<void *>(Layer));
  }
}

void KerasNames::nameAll(void *Root) {
  void *List = Py.callMethod(Root, "_flatten_layers");
  void *Each = List ? Py.Iterate(List) : nullptr;
  while (void *Layer = Each ? Py.Next(Each) : nullptr) {
    nameOne(Layer);
    if (uint32_t Name = Table.find(uintptr_t(Layer)))
      reportVariables(Layer, Name);
    Py.Drop(Layer);
  }
  for (void *P : {Each, List})
    if (P)
      Py.Drop(P);
  Py.ClearError();
}

/// The path of a layer; of a layer that is being built for the first time: the
/// path of the outer layer and the name. False: the layer has not run.
static bool copyPath(void *Layer, char *To, size_t Max) {
  auto Copy = [&](const char *Attribute, size_t At) {
    void *Value = Py.GetAttribute(Layer, Attribute);
    const char *Text = Value ? Py.Utf8(Value) : nullptr;
    size_t End = At + (Text ? strlen(Text) : 0);
    bool Fits = Text && End < Max;
    if (Fits)
      memcpy(To + At, Text, End - At + 1);
    if (Value)
      Py.Drop(Value);
    Py.ClearError();
    return Fits;
  };
  if (Copy("path", 0) && *To)
    return true;
  if (!Copy("_parent_path", 0))
    return false;
  size_t Outer = strlen(To);
  if (Outer && Outer + 1 < Max)
    To[Outer++] = '/';
  return Copy("name", Outer);
}

void KerasNames::nameOne(void *Layer) {
  char Path[512];
  if (Table.find(uintptr_t(Layer)) || !copyPath(Layer, Path, sizeof(Path)))
    return;
  uint32_t Text = Proc.Names.intern(Path, strlen(Path));
  if (watch(Layer))
    Table.set(uintptr_t(Layer), Text, /*IsGiven=*/false);
  Waits.tell(identityOf(uintptr_t(Layer)), Text);
}

//===----------------------------------------------------------------------===//
// The death of layers
//===----------------------------------------------------------------------===//

/// Makes a weak reference that calls dies() at the layer's death. dies() drops
/// the reference.
bool KerasNames::watch(void *Layer) {
  static PythonMethod Dies = {"memkit_layer_dies", dies, PythonMethod::TakesOne,
                              nullptr};
  return Py.callAtDeath(Layer, Dies);
}

void *KerasNames::dies(void *Number, void *Reference) {
  kerasNames().Table.noteDeath(uintptr_t(Py.ToPointer(Number)));
  Py.Drop(Reference);
  return Py.FromPointer(nullptr); // the result is ignored
}
