//===- LayerNames.cpp - What modules of PyTorch are called ----------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerNames.h"

#include "PythonCalls.h"
#include "Runtime/Stack.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

PythonCalls capture::Py;

void LayerNames::begin(const Exports &E) { HasAll = Py.find(E); }

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

LayerNames::Slot *LayerNames::table() {
  Slot *Is = Table.load(std::memory_order_acquire);
  if (Is)
    return Is;
  auto *New = static_cast<Slot *>(
      sys::map(Slots * sizeof(Slot),
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (!New)
    return nullptr;
  sys::call(SYS_madvise, long(New), Slots * sizeof(Slot), MADV_DONTFORK);
  if (Table.compare_exchange_strong(Is, New, std::memory_order_acq_rel))
    return New;
  sys::unmap(New, Slots * sizeof(Slot));
  return Is;
}

/// With the GIL held, so that no other does it.
void LayerNames::set(uintptr_t Module, uint32_t Text, bool IsGiven) {
  Slot *T = Text ? table() : Table.load(std::memory_order_acquire);
  if (!T)
    return;
  uint32_t I = slotOf(Module);
  for (;; I = (I + 1) % Slots) {
    uintptr_t Is = T[I].Module.load(std::memory_order_relaxed);
    if (Is == Module)
      break;
    if (Is)
      continue;
    if (!Text || Count.load(std::memory_order_relaxed) == MostModules)
      return;
    Count.fetch_add(1, std::memory_order_relaxed);
    T[I].Text.store(Text, std::memory_order_relaxed);
    T[I].IsGiven.store(IsGiven, std::memory_order_relaxed);
    T[I].Module.store(Module, std::memory_order_release);
    return;
  }
  T[I].IsGiven.store(IsGiven, std::memory_order_relaxed);
  T[I].Text.store(Text, std::memory_order_release);
}

bool LayerNames::isGiven(uintptr_t Module) const {
  Slot *T = Table.load(std::memory_order_acquire);
  for (uint32_t I = slotOf(Module); T; I = (I + 1) % Slots) {
    uintptr_t Is = T[I].Module.load(std::memory_order_relaxed);
    if (Is == Module || !Is)
      return Is && T[I].IsGiven.load(std::memory_order_relaxed);
  }
  return false;
}

/// Was it another module's name last? Texts that share a place forget each
/// other.
bool LayerNames::isTaken(uint32_t Text, uintptr_t Module) {
  Owner &O = Owners[Text % NumOwners];
  bool Is = O.Text == Text && O.Module != Module && find(O.Module) == Text;
  if (!Is)
    O = {Text, Module};
  return Is;
}

//===----------------------------------------------------------------------===//
// Modules without a name
//===----------------------------------------------------------------------===//

static constexpr unsigned TypeOffset = 8, TypeNameOffset = 24;

/// `package.module.Class`, or the class alone.
static const char *classOf(uintptr_t Object) {
  uintptr_t Type = Interpreter::load(Object + TypeOffset);
  auto *Name =
      reinterpret_cast<const char *>(Interpreter::load(Type + TypeNameOffset));
  const char *Dot = strrchr(Name, '.');
  return Dot ? Dot + 1 : Name;
}

/// The module runs, so that it lives.
__attribute__((noinline)) uint64_t LayerNames::unnamed(uintptr_t Module,
                                                       uintptr_t Root) {
  const char *Class = classOf(Module);
  size_t Bytes = strlen(Class);
  // Names do not come where nobody can be asked, or asking was in vain.
  if (!HasAll || Requests.load(std::memory_order_relaxed) >= MostRequests)
    return Proc.Names.intern(Class, Bytes);
  uintptr_t Identity = identityOf(Module);
  for (const Waiting &W : Waits)
    if (W.Module.load(std::memory_order_acquire) == Identity)
      return W.Text.load(std::memory_order_relaxed) | wire::SF_Unnamed;
  uint32_t Text = Proc.Names.add(Class, Bytes);
  Waiting &W = Waits[NextWaiting.fetch_add(1) % MostWaiting];
  W.Module.store(0, std::memory_order_relaxed);
  W.Text.store(Text, std::memory_order_relaxed);
  W.Module.store(Identity, std::memory_order_release);
  uintptr_t None = 0;
  if (Asked.compare_exchange_strong(None, Root, std::memory_order_acq_rel)) {
    Requests.fetch_add(1, std::memory_order_relaxed);
    if (Py.AddPendingCall(answer, nullptr) != 0)
      Asked.store(0, std::memory_order_release);
  }
  return Text | wire::SF_Unnamed;
}

/// The module that has run without a name is called \p Text.
void LayerNames::tell(uintptr_t Module, uint32_t Text) {
  Thread *T = recordingThread();
  uintptr_t Identity = identityOf(Module);
  for (Waiting &W : Waits) {
    if (W.Module.load(std::memory_order_acquire) != Identity)
      continue;
    uint32_t Old = W.Text.load(std::memory_order_relaxed);
    W.Module.store(0, std::memory_order_release);
    if (T && (T->Ring.hasRoom() || makeRoom(*T)))
      T->Ring.write(Old, wire::Record::pack(Text, wire::RecordKind::ScopeName),
                    0, 0);
  }
}

//===----------------------------------------------------------------------===//
// By the interpreter
//===----------------------------------------------------------------------===//

int LayerNames::answer(void *) {
  LayerNames &Self = Proc.Torch.layers();
  // A child of fork inherits the call, and has not asked.
  uintptr_t Root = Self.Asked.load(std::memory_order_acquire);
  if (!Root)
    return 0;
  void *Error[3];
  Py.FetchError(&Error[0], &Error[1], &Error[2]);
  if (void *Object = Self.findLive(Root)) {
    Self.name(Object);
    Py.Drop(Object);
  }
  Py.ClearError();
  Py.RestoreError(Error[0], Error[1], Error[2]);
  Self.Asked.store(0, std::memory_order_release);
  return 0;
}

/// Is it the outermost module that runs in the calling thread?
static bool runsHere(uintptr_t Module) {
  Thread *T = recordingThread();
  if (!T || !pythonStackNode(*T, MEMKIT_CALLER) || !T->Python.NumLayers)
    return false;
  uintptr_t Frame = T->Python.Known[T->Python.Layers[0]].Frame;
  uintptr_t Is = Interpreter::load(Frame + Proc.Python.layout().Locals);
  return (Is & CodeAddress) == Module;
}

/// The object at \p Module, if it still is one: it runs, or it is one of those
/// that the interpreter's collector knows. A new reference.
void *LayerNames::findLive(uintptr_t Module) {
  if (runsHere(Module)) {
    auto *Object = reinterpret_cast<void *>(Module);
    Py.Take(Object);
    return Object;
  }
  void *Gc = Py.Import("gc");
  void *Get = Gc ? Py.GetAttribute(Gc, "get_objects") : nullptr;
  void *All = Get ? Py.Call(Get, nullptr) : nullptr;
  void *Found = nullptr;
  for (intptr_t I = 0, N = All ? Py.ListSize(All) : 0; I < N && !Found; ++I)
    if (uintptr_t(Py.ListItem(All, I)) == Module)
      Found = reinterpret_cast<void *>(Module);
  // The list holds it until then.
  if (Found)
    Py.Take(Found);
  for (void *P : {All, Get, Gc})
    if (P)
      Py.Drop(P);
  return Found;
}

void LayerNames::nameNow(void *Root, const char *Given) {
  if (!HasAll)
    return;
  void *Error[3];
  Py.FetchError(&Error[0], &Error[1], &Error[2]);
  name(Root, Given);
  Py.ClearError();
  Py.RestoreError(Error[0], Error[1], Error[2]);
}

static bool dropPrefix(const char *&Path, const char *Prefix) {
  size_t Bytes = strlen(Prefix);
  bool Has = !strncmp(Path, Prefix, Bytes);
  Path += Has ? Bytes : 0;
  return Has;
}

/// What torch.compile and those that spread a model over devices wrap around a
/// model is no part of its names.
static const char *withoutWrapper(const char *Path, const char *Class) {
  while (dropPrefix(Path, "_orig_mod."))
    ;
  for (const char *Wrapper :
       {"DataParallel", "DistributedDataParallel", "FullyShardedDataParallel"})
    if (!strcmp(Class, Wrapper))
      dropPrefix(Path, "module.");
  while (dropPrefix(Path, "_orig_mod."))
    ;
  return Path;
}

/// Names it and the modules in it.
void LayerNames::name(void *Root, const char *Given) {
  char Called[128];
  strncpy(Called, Given ? Given : classOf(uintptr_t(Root)), sizeof(Called) - 1);
  Called[sizeof(Called) - 1] = 0;
  void *Get = Py.GetAttribute(Root, "named_modules");
  void *Modules = Get ? Py.Call(Get, nullptr) : nullptr;
  while (void *Pair = Modules ? Py.Next(Modules) : nullptr) {
    void *Name = Py.TupleItem(Pair, 0), *Module = Py.TupleItem(Pair, 1);
    const char *Path = Name && Module ? Py.Utf8(Name) : nullptr;
    if (Path)
      nameOne(Module, withoutWrapper(Path, classOf(uintptr_t(Root))), Called,
              Given);
    Py.Drop(Pair);
  }
  for (void *P : {Modules, Get})
    if (P)
      Py.Drop(P);
}

uint32_t LayerNames::fullName(const char *Root, const char *Path) {
  char Full[512];
  char *To = stpcpy(Full, Root);
  *To++ = '.';
  strncpy(To, Path, sizeof(Full) - size_t(To - Full) - 1);
  Full[sizeof(Full) - 1] = 0;
  return Proc.Names.intern(Full, strlen(Full));
}

void LayerNames::nameOne(void *Module, const char *Path, const char *Root,
                         bool IsGiven) {
  uint32_t Before = find(uintptr_t(Module));
  // What the program says stands.
  if (Before && !IsGiven && isGiven(uintptr_t(Module)))
    return;
  uint32_t Text = 0;
  if (IsGiven && *Path) {
    Text = fullName(Root, Path);
  } else {
    const char *Name = *Path ? Path : Root;
    Text = Proc.Names.intern(Name, strlen(Name));
    // Of another root's modules one may have the same path.
    if (*Path && isTaken(Text, uintptr_t(Module)))
      Text = fullName(Root, Path);
  }
  if (Before || watch(Module))
    set(uintptr_t(Module), Text, IsGiven);
  tell(uintptr_t(Module), Text);
  Proc.Torch.held().tellModule(Module, Text);
}

//===----------------------------------------------------------------------===//
// The death of modules
//===----------------------------------------------------------------------===//

namespace {
/// As Python has it.
struct MethodDefinition {
  const char *Name;
  void *(*Function)(void *, void *);
  int Flags;
  const char *Text;
};
} // namespace
static constexpr int TakesOne = 8; ///< METH_O

/// Tells us when it dies. The reference is ours until then.
bool LayerNames::watch(void *Module) {
  static MethodDefinition Dies = {"memkit_module_dies", dies, TakesOne,
                                  nullptr};
  void *Number = Py.FromPointer(Module);
  void *Callback = Number ? Py.NewFunction(&Dies, Number, nullptr) : nullptr;
  void *Reference = Callback ? Py.WeakReference(Module, Callback) : nullptr;
  for (void *P : {Callback, Number})
    if (P)
      Py.Drop(P);
  if (!Reference)
    Py.ClearError();
  return Reference;
}

void *LayerNames::dies(void *Number, void *Reference) {
  Proc.Torch.layers().set(uintptr_t(Py.ToPointer(Number)), 0);
  Py.Drop(Reference);
  return Py.FromPointer(nullptr); // what it is, nobody looks at
}
