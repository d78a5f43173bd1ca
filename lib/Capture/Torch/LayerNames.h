//===- LayerNames.h - What modules of PyTorch are called --------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module (nn.Module) is known by its address. Its name is its path from the
// root module, `encoder.layers.3.attn`; a root's is its class. The first time
// that a root is seen to run, a pending call asks it for its named_modules(),
// when it suits the interpreter. A weak reference with a callback tells when a
// module dies, for its address may be another's then.
//
// A replica, which nn.DataParallel makes for a step, dies with the step. It has
// the name of its original, whose `_forward_hooks` its __dict__ has, too.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_CAPTURE_TORCH_LAYERNAMES_H
#define MEMKIT_CAPTURE_TORCH_LAYERNAMES_H

#include "InstanceDict.h"
#include "Python/Exports.h"

#include <atomic>
#include <cstdint>

namespace memkit::capture {

class LayerNames {
public:
  /// \p E: the interpreter's.
  void begin(const Exports &E);

  /// Whether the interpreter can be asked for anything.
  bool canAsk() const { return HasAll; }

  /// The text of the name of the module at \p Module, which runs, with
  /// wire::SF_Unnamed while it has none but its class. Any thread. \p Root: the
  /// outermost module that runs in the thread.
  uint64_t textOf(uintptr_t Module, uintptr_t Root) {
    uint32_t Text = find(Module);
    return __builtin_expect(Text != 0, 1) ? Text : unnamed(Module, Root);
  }

  /// Names the modules of a root now: \p Given for it, `Given.path` for those
  /// in it, whatever other roots they are in; null: as one that is seen to run.
  /// By a thread with the GIL.
  void nameNow(void *Root, const char *Given);

  /// Tells a module that lives from one of another class that had its address
  /// before it.
  static uintptr_t identityOf(uintptr_t Module) {
    constexpr unsigned TypeOffset = 8;
    auto Type =
        *reinterpret_cast<const volatile uintptr_t *>(Module + TypeOffset);
    return Module ^ Type << 16;
  }

private:
  /// Of a module, or of the hooks of one. Slots are never removed.
  struct Slot {
    std::atomic<uintptr_t> Key;    ///< 0: free
    std::atomic<uint32_t> Text;    ///< 0: it is dead
    std::atomic<uint32_t> IsGiven; ///< the program has named its root
    /// Of a module: the key of its hooks; of hooks: the class of the module.
    std::atomic<uintptr_t> Other;
  };
  static constexpr uint32_t Slots = 1 << 17, MostKeys = Slots / 2;
  /// A search among the objects of a program that has imported torch takes 9
  /// ms.
  static constexpr uint64_t FirstNs = 40'000'000;

  static uint32_t slotOf(uintptr_t Key) {
    return uint32_t((Key >> 4) * 0x9e3779b97f4a7c15ull >> 47) % Slots;
  }
  /// No module has such an address.
  static uintptr_t keyOfHooks(uintptr_t Hooks) { return Hooks | 1; }
  Slot *slot(uintptr_t Key) const {
    Slot *T = Table.load(std::memory_order_acquire);
    if (__builtin_expect(!T, 0))
      return nullptr;
    for (uint32_t I = slotOf(Key);; I = (I + 1) % Slots) {
      uintptr_t Is = T[I].Key.load(std::memory_order_acquire);
      if (Is == Key)
        return &T[I];
      if (!Is)
        return nullptr;
    }
  }
  uint32_t find(uintptr_t Key) const {
    const Slot *S = slot(Key);
    return S ? S->Text.load(std::memory_order_acquire) : 0;
  }
  uint64_t unnamed(uintptr_t Module, uintptr_t Root);
  bool mayAsk(uintptr_t Root) const;
  void ask(uintptr_t Root);
  void tell(uintptr_t Module, uint32_t Text);
  Slot *table();
  uint32_t originalText(uintptr_t Module) const;

  // By the interpreter, with the GIL held.
  Slot *set(uintptr_t Key, uint32_t Text, uintptr_t Other,
            bool IsGiven = false);
  bool isGiven(uintptr_t Module) const;
  void setHooks(Slot &Of, void *Module, void *Dict, uint32_t Text);
  static int answer(void *Self);
  static void *dies(void *Number, void *Reference);
  void name(void *Root, const char *Given = nullptr);
  uint32_t fullName(const char *Root, const char *Path);
  uint32_t textFor(void *Module, const char *Path, const char *Root,
                   bool IsGiven);
  void nameOne(void *Module, const char *Path, const char *Root, bool IsGiven);
  bool isTaken(uint32_t Text, uintptr_t Module);
  bool watch(void *Module);
  void *findLive(uintptr_t Module);

  std::atomic<Slot *> Table{nullptr};
  /// Modules that have run without a name, the last ones, and the texts that
  /// stand for their names.
  struct Waiting {
    std::atomic<uintptr_t> Module; ///< its identity
    std::atomic<uint32_t> Text;
  };
  static constexpr uint32_t MostWaiting = 128;
  /// Each needs a text of its own, for which there is not room without end.
  static constexpr uint32_t MostUnnamed = 1 << 14;
  Waiting Waits[MostWaiting] = {};
  std::atomic<uint32_t> NextWaiting{0};
  std::atomic<uint32_t> Keys{0};
  /// When the first request was; the processor time of all answers.
  std::atomic<uint64_t> BegunNs{0}, SpentNs{0};
  std::atomic<uintptr_t> Asked{0}; ///< the root that is asked for
  bool HasAll = false;
  InstanceDict Dicts;
  /// With the GIL held: whose name a text is.
  struct Owner {
    uint32_t Text = 0;
    uintptr_t Module = 0;
  };
  static constexpr uint32_t NumOwners = 4096;
  Owner Owners[NumOwners];
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_LAYERNAMES_H
