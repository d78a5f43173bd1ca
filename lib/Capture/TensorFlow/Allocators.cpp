// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of TensorFlow's tensors on the host.
//
// With oneDNN's operators, the default on newer processors, tensors come from
// MklCPUAllocator. Small tensors are blocks of malloc. Larger tensors lie in
// regions, blocks of malloc that an inner allocator divides: malloc's hooks
// alone miss the larger tensors.
//
// Without oneDNN's operators, tensors come from an allocator whose class has no
// symbol. Both classes have one base class, so their virtual functions have the
// same places. The allocator's object gets a table of virtual functions with
// memkit's functions in these places.

#include "Names.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Runtime/Symbols.h"
#include "Runtime/TensorSlots.h"
#include "Stacks/RealFunction.h"
#include "Stacks/Stack.h"
#include "TensorFlowHooks.h"
#include "Unwind/Bounds.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// A thread that may record tensors; null: none.
static ThreadState *tensorThread() {
  ThreadState *T = recordingThread();
  return T && tf::Hooks.wantsTensors() &&
                 tf::Hooks.hostSlot() != NoTensorSlot && hasRoom(*T)
             ? T
             : nullptr;
}

/// After the allocation.
static void noteAllocated(void *P, size_t Bytes, const CallerFrame &Caller) {
  ThreadState *T = P ? tensorThread() : nullptr;
  if (!T)
    return;
  tf::Hooks.noteTensor();
  if (!isRecording())
    return;
  uint32_t Stack = stackNode(*T, Caller);
  if (T->Epoch != Proc.Epoch.load(std::memory_order_relaxed))
    return;
  T->Ring.write(wire::TensorAllocateRecord{
      uintptr_t(P), Bytes, uint8_t(tf::Hooks.hostSlot()), Stack});
}

/// Before the free. A layer or an optimizer's step that has ended since the
/// last operator ends here.
static void noteFreed(void *P, const CallerFrame &Caller) {
  ThreadState *T = P ? tensorThread() : nullptr;
  if (!T)
    return;
  const ScopeStack &S = tf::ThisTensorFlow.Scopes;
  if (S.Count && !S.Scopes[S.Count - 1].Function)
    tf::followCalls(*T, interpreterNode(*T, Caller));
  if (hasRoom(*T))
    T->Ring.write(wire::TensorFreeRecord{uintptr_t(P), false,
                                         uint8_t(tf::Hooks.hostSlot())});
}

//===----------------------------------------------------------------------===//
// MklCPUAllocator
//===----------------------------------------------------------------------===//

using AllocateFn = void *(*)(void *, size_t, size_t);
using FreeFn = void (*)(void *, void *);
using FreeSizedFn = void (*)(void *, void *, size_t, size_t);

static constinit RealFunction<AllocateFn> RealAllocate(tf::Framework,
                                                       TF_ALLOCATE);
static constinit RealFunction<FreeFn> RealFree(tf::Framework, TF_DEALLOCATE);

MEMKIT_EXPORT void *tfAllocate(void *, size_t, size_t) asm(TF_ALLOCATE);
MEMKIT_EXPORT void tfFree(void *, void *) asm(TF_DEALLOCATE);

void *tfAllocate(void *Self, size_t Alignment, size_t Bytes) {
  CallerFrame Caller = MEMKIT_CALLER;
  void *P = RealAllocate.get(Caller.Pc)(Self, Alignment, Bytes);
  noteAllocated(P, Bytes, Caller);
  return P;
}

void tfFree(void *Self, void *P) {
  CallerFrame Caller = MEMKIT_CALLER;
  noteFreed(P, Caller);
  RealFree.get(Caller.Pc)(Self, P);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// A region outlives the operator that needed the region first, so a region is
/// in no scope.
static uint32_t beginRegion() {
  static constexpr char Name[] = "tf.cpu regions";
  ThreadState *T = tf::scopesThread();
  if (!T)
    return tf::NotOpen;
  ScopeStack &S = tf::ThisTensorFlow.Scopes;
  uint32_t Place = S.Count;
  S.open(*T, {&RealFree, 0, 0, 0}, Proc.Names.intern(Name, sizeof(Name) - 1),
         wire::SF_Range | wire::SF_TensorFlow | wire::SF_Outside, 0);
  return Place;
}

using RegionFn = void *(*)(void *, size_t, size_t, size_t *);
static constinit RealFunction<RegionFn> RealRegion(tf::Framework,
                                                   TF_ALLOCATE_REGION);

MEMKIT_EXPORT void *tfRegion(void *, size_t, size_t,
                             size_t *) asm(TF_ALLOCATE_REGION);

void *tfRegion(void *Self, size_t Alignment, size_t Bytes, size_t *Received) {
  CallerFrame Caller = MEMKIT_CALLER;
  uint32_t Place = beginRegion();
  void *P = RealRegion.get(Caller.Pc)(Self, Alignment, Bytes, Received);
  if (Place != tf::NotOpen)
    tf::endScope(Place);
  return P;
}

//===----------------------------------------------------------------------===//
// Another allocator of the host
//===----------------------------------------------------------------------===//

namespace {
/// The copied table of virtual functions. An object points behind Before.
constexpr size_t Before = 2, Functions = 24;
struct OtherAllocator {
  std::atomic<uint32_t> State; ///< 0: none; 1: being made; 2: in use
  void *Table[Before + Functions];
  AllocateFn Allocate;
  FreeFn Free;
  FreeSizedFn FreeSized;
};
} // namespace
/// Children of fork keep the table: the object points there.
static constinit OtherAllocator Other{};

static void *otherAllocate(void *Self, size_t Alignment, size_t Bytes) {
  CallerFrame Caller = MEMKIT_CALLER;
  void *P = Other.Allocate(Self, Alignment, Bytes);
  noteAllocated(P, Bytes, Caller);
  return P;
}

static void otherFree(void *Self, void *P) {
  noteFreed(P, MEMKIT_CALLER);
  Other.Free(Self, P);
}

static void otherFreeSized(void *Self, void *P, size_t Alignment,
                           size_t Bytes) {
  noteFreed(P, MEMKIT_CALLER);
  Other.FreeSized(Self, P, Alignment, Bytes);
}

/// The place of \p Function among the virtual functions of MklCPUAllocator;
/// Functions: not there.
static size_t placeOf(void *const *Mkl, const void *Function) {
  size_t I = 0;
  while (I != Functions && (!Function || Mkl[I] != Function))
    ++I;
  return I;
}

/// Fills Other's table from the object's. False: a place is not known.
static bool copyTable(void *const *Is) {
  auto *Mkl = static_cast<void *const *>(
      symbolOfLoaded(tf::Framework, TF_ALLOCATOR_TABLE));
  if (!Mkl || !allReadable(uintptr_t(Is - Before), uintptr_t(Is + Functions)) ||
      !allReadable(uintptr_t(Mkl), uintptr_t(Mkl + Before + Functions)))
    return false;
  Mkl += Before;
  size_t Allocate = placeOf(Mkl, reinterpret_cast<void *>(tfAllocate));
  size_t Free = placeOf(Mkl, reinterpret_cast<void *>(tfFree));
  size_t Sized =
      placeOf(Mkl, symbolOfLoaded(tf::Framework, TF_DEALLOCATE_SIZED));
  if (Allocate == Functions || Free == Functions || Is == Mkl)
    return false;
  memcpy(Other.Table, Is - Before, sizeof(Other.Table));
  auto Replace = [](size_t Place, auto &Real, auto *With) {
    void *&At = Other.Table[Before + Place];
    Real = reinterpret_cast<decltype(With)>(At);
    At = reinterpret_cast<void *>(With);
  };
  Replace(Allocate, Other.Allocate, otherAllocate);
  Replace(Free, Other.Free, otherFree);
  if (Sized != Functions)
    Replace(Sized, Other.FreeSized, otherFreeSized);
  return true;
}

/// Gives the object, once in a program, the table of virtual functions.
__attribute__((noinline)) static void watchAllocator(void *Object) {
  uint32_t None = 0;
  if (!Object ||
      !Other.State.compare_exchange_strong(None, 1, std::memory_order_acq_rel))
    return;
  auto **Table = static_cast<void ***>(Object);
  if (copyTable(__atomic_load_n(Table, __ATOMIC_ACQUIRE)))
    __atomic_store_n(Table, Other.Table + Before, __ATOMIC_RELEASE);
  Other.State.store(2, std::memory_order_release);
}

using BaseFn = void *(*)();
static constinit RealFunction<BaseFn> RealBase(tf::Framework,
                                               TF_BASE_ALLOCATOR);

MEMKIT_EXPORT void *tfBaseAllocator() asm(TF_BASE_ALLOCATOR);

void *tfBaseAllocator() {
  CallerFrame Caller = MEMKIT_CALLER;
  void *Object = RealBase.get(Caller.Pc)();
  if (__builtin_expect(!Other.State.load(std::memory_order_relaxed), 0) &&
      recordingThread() && tf::Hooks.wantsTensors())
    watchAllocator(Object);
  return Object;
}
