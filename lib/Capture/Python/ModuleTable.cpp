// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of modules by address.

#include "ModuleTable.h"

#include "Runtime/Syscall.h"

using namespace memkit::capture;

ModuleTable::ModuleSlot *ModuleTable::table() {
  ModuleSlot *T = Table.load(std::memory_order_relaxed);
  if (T)
    return T;
  T = static_cast<ModuleSlot *>(sys::mapPrivate(Slots * sizeof(ModuleSlot)));
  Table.store(T, std::memory_order_release);
  return T;
}

/// The slot of Key, or a free slot; null: no room.
ModuleTable::ModuleSlot *ModuleTable::slotFor(uintptr_t Key) {
  if (ModuleSlot *S = slot(Key))
    return S;
  ModuleSlot *T = table();
  if (!T || Keys == MaxKeys)
    return nullptr;
  ++Keys;
  uint32_t I = placeOf(Key);
  while (T[I].Key.load(std::memory_order_relaxed))
    I = (I + 1) % Slots;
  return &T[I];
}

bool ModuleTable::set(uintptr_t Module, uint32_t Text, bool IsGiven) {
  ModuleSlot *S = slotFor(Module);
  if (!S)
    return false;
  S->IsGiven.store(IsGiven, std::memory_order_relaxed);
  S->Text.store(Text, std::memory_order_release);
  S->Key.store(Module, std::memory_order_release);
  return true;
}

void ModuleTable::setHooks(uintptr_t Module, uintptr_t Hooks, uintptr_t Class) {
  uintptr_t Key = keyOfHooks(Hooks);
  ModuleSlot *S = slotFor(Key), *Of = slot(Module);
  if (!S || !Of)
    return;
  Of->Other.store(Key, std::memory_order_relaxed);
  S->Other.store(Class, std::memory_order_relaxed);
  S->Text.store(textOf(Of), std::memory_order_release);
  S->Key.store(Key, std::memory_order_release);
}

void ModuleTable::noteDeath(uintptr_t Module) {
  ModuleSlot *S = slot(Module);
  if (!S)
    return;
  uintptr_t Hooks = S->Other.load(std::memory_order_relaxed);
  if (ModuleSlot *Of = Hooks ? slot(Hooks) : nullptr)
    Of->Text.store(0, std::memory_order_release);
  S->Other.store(0, std::memory_order_relaxed);
  S->Text.store(0, std::memory_order_release);
}
