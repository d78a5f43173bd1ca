// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of modules by address.
//
// Any thread may read while the thread with the interpreter's lock writes. A
// dead module keeps its slot, for a later module at the same address.

#ifndef MEMKIT_CAPTURE_PYTHON_MODULETABLE_H
#define MEMKIT_CAPTURE_PYTHON_MODULETABLE_H

#include <atomic>
#include <cstdint>

namespace memkit::capture {

class ModuleTable {
public:
  static constexpr uint32_t MaxModules = 1 << 15;

  /// The text of the module's name; 0: no name, or dead.
  uint32_t find(uintptr_t Module) const { return textOf(slot(Module)); }
  /// The text of the module of a class with the given hooks; 0: none.
  uint32_t findByHooks(uintptr_t Hooks, uintptr_t Class) const {
    const ModuleSlot *S = slot(keyOfHooks(Hooks));
    return S && S->Other.load(std::memory_order_relaxed) == Class ? textOf(S)
                                                                  : 0;
  }
  bool isGiven(uintptr_t Module) const {
    const ModuleSlot *S = slot(Module);
    return S && S->IsGiven.load(std::memory_order_relaxed);
  }

  // With the interpreter's lock held.

  /// \p IsGiven: the program gave the name. False: no room.
  bool set(uintptr_t Module, uint32_t Text, bool IsGiven);
  /// Notes the hooks of a module in the table.
  void setHooks(uintptr_t Module, uintptr_t Hooks, uintptr_t Class);
  void noteDeath(uintptr_t Module);

private:
  /// A slot of a module, or of a module's hooks.
  struct ModuleSlot {
    std::atomic<uintptr_t> Key; ///< 0: free
    std::atomic<uint32_t> Text; ///< 0: the module is dead
    std::atomic<uint32_t> IsGiven;
    /// In a module's slot: the key of the hooks. In a slot of hooks: the
    /// module's class.
    std::atomic<uintptr_t> Other;
  };
  static constexpr uint32_t MaxKeys = 2 * MaxModules, Slots = 2 * MaxKeys;

  static uint32_t placeOf(uintptr_t Key) {
    return uint32_t((Key >> 4) * 0x9e3779b97f4a7c15ull >> 47) % Slots;
  }
  /// The key is odd; no module has an odd address.
  static uintptr_t keyOfHooks(uintptr_t Hooks) { return Hooks | 1; }
  static uint32_t textOf(const ModuleSlot *S) {
    return S ? S->Text.load(std::memory_order_acquire) : 0;
  }
  ModuleSlot *slot(uintptr_t Key) const {
    ModuleSlot *T = Table.load(std::memory_order_acquire);
    if (__builtin_expect(!T, 0))
      return nullptr;
    for (uint32_t I = placeOf(Key);; I = (I + 1) % Slots) {
      uintptr_t Is = T[I].Key.load(std::memory_order_acquire);
      if (Is == Key)
        return &T[I];
      if (!Is)
        return nullptr;
    }
  }
  ModuleSlot *table();
  ModuleSlot *slotFor(uintptr_t Key);

  std::atomic<ModuleSlot *> Table{nullptr};
  uint32_t Keys = 0;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_MODULETABLE_H
