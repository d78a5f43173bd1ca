// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions by which the package memkit walks and reports holders.
//
// python/memkit/_holders.py calls them through ctypes, with the interpreter's
// lock held.

#include "HolderWalk.h"
#include "Interpreter.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"

using namespace memkit;
using namespace memkit::capture;

/// In a frame object from 3.11 on: the address of the interpreter's frame.
static constexpr uintptr_t FrameObjectInner = 24;

/// Bytes of an object that may be a block of malloc: the interpreter's own
/// allocator takes blocks of up to 512 bytes.
static constexpr uint64_t LeastMalloc = 400;

/// The walk of the process; null: the process is not recorded, or its
/// interpreter is not known: of a later version, frames alone were compared.
static HolderWalk *walk() {
  return recordingThread() && Python.isWalked() && !Python.isTried()
             ? &Python.holders()
             : nullptr;
}

static void report(const wire::BlockHeldRecord &R) {
  ThreadState *T = recordingThread();
  if (T && hasRoom(*T))
    T->Ring.write(R);
}

/// Begins a walk; its nodes, or null. Types: a tuple.
MEMKIT_EXPORT void *memrec_holders_begin(uint32_t Ms, uint32_t MaxNodes,
                                         uintptr_t Types) {
  HolderWalk *W = walk();
  if (!W)
    return nullptr;
  // Without the interpreter's objects, nothing below its threshold for malloc
  // is a block.
  uint64_t Least = Proc.Ctl->Settings.PythonObjects ? 1 : LeastMalloc;
  if (W->start(Ms, MaxNodes, Types, Least))
    return W->nodes();
  // A walk that goes on reports itself.
  if (!W->isActive())
    report({0, 0, wire::HF_Stopped, 0, 0});
  return nullptr;
}

MEMKIT_EXPORT uint32_t memrec_holders_add(uintptr_t Object, uint32_t Parent) {
  HolderWalk *W = walk();
  return W ? W->add(Object, Parent, 0) : 0;
}

/// The first local of a frame object that has Count locals; null: not known.
static const uintptr_t *localsOf(uintptr_t Frame) {
  const PythonLayout &L = Python.layout();
  if (L.Shape == FrameShape::Objects)
    return reinterpret_cast<const uintptr_t *>(Frame + L.Locals);
  uintptr_t Inner = Interpreter::load(Frame + FrameObjectInner);
  return Inner && Python.isCode(Interpreter::load(Inner + L.Code) & CodeAddress)
             ? reinterpret_cast<const uintptr_t *>(Inner + L.Locals)
             : nullptr;
}

/// Adds the Count locals of a frame object; each new node has the local's
/// number + 1 in Local.
MEMKIT_EXPORT void memrec_holders_locals(uintptr_t Frame, uint32_t Count,
                                         uint32_t Node) {
  HolderWalk *W = walk();
  const uintptr_t *Locals = W ? localsOf(Frame) : nullptr;
  for (uint32_t I = 0; Locals && I != Count; ++I)
    if (uint32_t Child = W->add(Locals[I] & CodeAddress, Node, 0))
      W->nodes()[Child].Local = I + 1;
}

/// The number + 1 of the local of a frame object that is Object; 0: none.
MEMKIT_EXPORT uint32_t memrec_holders_local(uintptr_t Frame, uint32_t Count,
                                            uintptr_t Object) {
  const uintptr_t *Locals = walk() ? localsOf(Frame) : nullptr;
  for (uint32_t I = 0; Locals && I != Count; ++I)
    if ((Locals[I] & CodeAddress) == Object)
      return I + 1;
  return 0;
}

MEMKIT_EXPORT int memrec_holders_run() {
  HolderWalk *W = walk();
  return W && W->run();
}

MEMKIT_EXPORT int memrec_holders_rest(uintptr_t List) {
  HolderWalk *W = walk();
  return W && W->isActive() && W->rest(List);
}

MEMKIT_EXPORT uint32_t memrec_holders_special(uint32_t After) {
  HolderWalk *W = walk();
  return W ? W->nextSpecial(After) : 0;
}

MEMKIT_EXPORT uint32_t memrec_holders_select(uint32_t *To, uint32_t Room) {
  HolderWalk *W = walk();
  return W ? W->select(To, Room) : 0;
}

/// A block is held by the path \p Text; Address 0: the summary of the walk.
MEMKIT_EXPORT void memrec_held(uintptr_t Address, uint32_t Flags,
                               const char *Text, size_t Size) {
  HolderWalk *W = walk();
  if (!W)
    return;
  if (uint32_t Path = Proc.Names.intern(Text, Size))
    report({Address, 0, uint8_t(Flags), 0, Path});
  else
    W->stop();
}

/// The walk is over. Flags: wire::HeldFlags.
MEMKIT_EXPORT void memrec_holders_end(uint32_t Flags) {
  HolderWalk *W = walk();
  if (!W || !W->isActive())
    return;
  if (W->isStopped())
    Flags |= wire::HF_Stopped;
  uint64_t Us = W->spentNs() / 1000;
  report({0, W->count() - 1, uint8_t(Flags),
          Us < UINT32_MAX ? uint32_t(Us) : UINT32_MAX, 0});
  W->end();
}
