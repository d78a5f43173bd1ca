// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of PyTorch's modules.

#include "LayerNames.h"

#include "PlainPath.h"
#include "Python/Interpreter.h"
#include "Python/ObjectClass.h"
#include "Python/PythonCalls.h"
#include "Runtime/Hook.h"
#include "Runtime/Process.h"
#include "Runtime/Thread.h"
#include "Stacks/InterpreterFrames.h"
#include "Stacks/Stack.h"
#include "TorchHooks.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

//===----------------------------------------------------------------------===//
// Modules without a name
//===----------------------------------------------------------------------===//

/// The text of a module of the same class with the same hooks: the original of
/// a replica; 0: none.
uint32_t LayerNames::originalText(uintptr_t Module) const {
  if (!Dicts.isKnown())
    return 0;
  InstanceDict::Values Values = Dicts.read(Module);
  uintptr_t Class = typeOf(Module);
  for (unsigned I = 0; I != Values.Count; ++I)
    if (uint32_t Text = Table.findByHooks(Values.Words[I], Class))
      return Text;
  return 0;
}

/// Once answers have taken some time, a root that has a name is not asked again
/// for new modules.
bool LayerNames::mayAsk(uintptr_t Root) const {
  return canAsk() && (Questions.isEarly() ||
                      (!Table.find(Root) && Questions.isAffordable()));
}

/// The module runs, so the object is alive.
__attribute__((noinline)) uint64_t LayerNames::unnamed(uintptr_t Module,
                                                       uintptr_t Root) {
  if (uint32_t Text = originalText(Module))
    return Text;
  const char *Class = typeName(typeOf(Module));
  size_t Bytes = strlen(Class);
  if (!mayAsk(Root))
    return Proc.Names.intern(Class, Bytes);
  Questions.ask(Root, answer, nullptr);
  // A root has the name of its class.
  if (Module == Root)
    return Proc.Names.intern(Class, Bytes);
  return Waits.textFor(identityOf(Module), Class, Bytes);
}

//===----------------------------------------------------------------------===//
// By the interpreter
//===----------------------------------------------------------------------===//

int LayerNames::answer(void *) {
  LayerNames &Self = Torch.layers();
  Self.Questions.answer([&](uintptr_t Root) {
    if (void *Object = Self.findLive(Root)) {
      Self.name(Object);
      Py.Drop(Object);
    }
  });
  return 0;
}

/// Is the module the outermost that runs in the calling thread?
static bool runsHere(uintptr_t Module) {
  ThreadState *T = recordingThread();
  if (!T || !interpreterNode(*T, MEMKIT_CALLER) || !ThisPython.Layers.Count)
    return false;
  uintptr_t Frame = ThisPython.Known[ThisPython.Layers.At[0]].Frame;
  uintptr_t Is = Interpreter::load(Frame + Python.layout().Locals);
  return (Is & CodeAddress) == Module;
}

/// A new reference to the object at \p Module, if the module runs here or the
/// interpreter's collector knows the object. The collector knows many objects:
/// only the first answers search there.
void *LayerNames::findLive(uintptr_t Module) {
  if (runsHere(Module)) {
    auto *Object = reinterpret_cast<void *>(Module);
    Py.Take(Object);
    return Object;
  }
  if (!Questions.isEarly())
    return nullptr;
  void *Gc = Py.Import("gc");
  void *Get = Gc ? Py.GetAttribute(Gc, "get_objects") : nullptr;
  void *All = Get ? Py.Call(Get, nullptr) : nullptr;
  void *Found = nullptr;
  for (intptr_t I = 0, N = All ? Py.ListSize(All) : 0; I < N && !Found; ++I)
    if (uintptr_t(Py.ListItem(All, I)) == Module)
      Found = reinterpret_cast<void *>(Module);
  // The list holds the object until the list is dropped.
  if (Found)
    Py.Take(Found);
  for (void *P : {All, Get, Gc})
    if (P)
      Py.Drop(P);
  return Found;
}

void LayerNames::nameNow(void *Root, const char *Given) {
  if (!canAsk())
    return;
  KeptError Kept;
  name(Root, Given);
}

static bool isOf(uintptr_t Object, const char *Class) {
  constexpr unsigned BaseOffset = 256;
  for (uintptr_t Type = typeOf(Object); Type;
       Type = Interpreter::load(Type + BaseOffset))
    if (!strcmp(typeName(Type), Class))
      return true;
  return false;
}

/// Names the module and the modules in it.
void LayerNames::name(void *Root, const char *Given) {
  char Called[128];
  strncpy(Called, Given ? Given : typeName(typeOf(uintptr_t(Root))),
          sizeof(Called) - 1);
  Called[sizeof(Called) - 1] = 0;
  PlainPath Plain;
  void *Get = Py.GetAttribute(Root, "named_modules");
  void *All = Get ? Py.Call(Get, nullptr) : nullptr;
  // A class of the program's own may give a list.
  void *Modules = All ? Py.Iterate(All) : nullptr;
  while (void *Pair = Modules ? Py.Next(Modules) : nullptr) {
    void *Name = Py.TupleItem(Pair, 0), *Module = Py.TupleItem(Pair, 1);
    if (const char *Path = Name && Module ? Py.Utf8(Name) : nullptr) {
      bool Replicates = isOf(uintptr_t(Module), "DataParallel");
      HasReplicas |= Replicates;
      bool Spreads =
          Replicates || isOf(uintptr_t(Module), "DistributedDataParallel");
      Path = Plain.of(Path, typeName(typeOf(uintptr_t(Module))), Spreads);
      nameOne(Module, Path, Called, Given);
    }
    Py.Drop(Pair);
  }
  for (void *P : {Modules, All, Get})
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

/// Was the text last the name of another module? Texts with the same place
/// overwrite each other.
bool LayerNames::isTaken(uint32_t Text, uintptr_t Module) {
  Owner &O = Owners[Text % NumOwners];
  bool Is =
      O.Text == Text && O.Module != Module && Table.find(O.Module) == Text;
  if (!Is)
    O = {Text, Module};
  return Is;
}

uint32_t LayerNames::textFor(void *Module, const char *Path, const char *Root,
                             bool IsGiven) {
  if (IsGiven && *Path)
    return fullName(Root, Path);
  const char *Name = *Path ? Path : Root;
  uint32_t Text = Proc.Names.intern(Name, strlen(Name));
  // A module of another root may have the same path.
  return *Path && isTaken(Text, uintptr_t(Module)) ? fullName(Root, Path)
                                                   : Text;
}

/// Notes the hooks by which a replica finds the name of its original. Reading a
/// dict takes system calls, so this is skipped until a replica is possible.
void LayerNames::noteHooks(void *Module, void *Dict, bool IsReplica) {
  auto Hooks = uintptr_t(Py.DictItem(Dict, "_forward_hooks"));
  if (!Hooks)
    return;
  if (HasReplicas)
    Dicts.learn(uintptr_t(Module), uintptr_t(Dict), Hooks,
                Python.layout().Minor);
  if (!IsReplica)
    Table.setHooks(uintptr_t(Module), Hooks, typeOf(uintptr_t(Module)));
}

void LayerNames::nameOne(void *Module, const char *Path, const char *Root,
                         bool IsGiven) {
  bool IsKnown = Table.find(uintptr_t(Module));
  // A name given by the program stands.
  if (IsKnown && !IsGiven && Table.isGiven(uintptr_t(Module)))
    return;
  void *Dict = Py.GetAttribute(Module, "__dict__");
  bool IsReplica = Dict && Py.DictItem(Dict, "_is_replica");
  HasReplicas |= IsReplica;
  uint32_t Text = IsReplica && !IsGiven ? originalText(uintptr_t(Module)) : 0;
  if (!Text) {
    Text = textFor(Module, Path, Root, IsGiven);
    bool IsSet = (IsKnown || watch(Module)) &&
                 Table.set(uintptr_t(Module), Text, IsGiven);
    if (IsSet && Dict)
      noteHooks(Module, Dict, IsReplica);
  }
  if (Dict)
    Py.Drop(Dict);
  Waits.tell(identityOf(uintptr_t(Module)), Text);
  Torch.held().reportModule(Module, Text, IsReplica);
}

//===----------------------------------------------------------------------===//
// The death of modules
//===----------------------------------------------------------------------===//

/// Makes a weak reference that calls dies() at the module's death. dies() drops
/// the reference.
bool LayerNames::watch(void *Module) {
  static PythonMethod Dies = {"memkit_module_dies", dies,
                              PythonMethod::TakesOne, nullptr};
  return Py.callAtDeath(Module, Dies);
}

void *LayerNames::dies(void *Number, void *Reference) {
  Torch.layers().Table.noteDeath(uintptr_t(Py.ToPointer(Number)));
  Py.Drop(Reference);
  return Py.FromPointer(nullptr); // the result is ignored
}

/// Names \p Module, a Python object, \p Name, and the modules of PyTorch in it
/// by their paths. Null: the name is the class. With the interpreter's lock
/// held.
MEMKIT_EXPORT void memrec_trace(void *Module, const char *Name) {
  ThreadState *T = recordingThread();
  // The walk finds the interpreter, if no walk has before.
  if (T && Module && Torch.wantsContexts() && interpreter::node())
    Torch.layers().nameNow(Module, Name);
}
