// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What modules of PyTorch are called.
//
// A module (nn.Module) is known by its address. Its name is its path from the
// root module, `encoder.layers.3.attn`; a root's is its class. The first time
// that a root is seen to run, a pending call asks it for its named_modules(),
// when it suits the interpreter. A weak reference with a callback tells when a
// module dies, for its address may be another's then.
//
// A replica, which nn.DataParallel makes for a step, dies with the step. It has
// the name of its original, whose `_forward_hooks` its __dict__ has, too.

#ifndef MEMKIT_CAPTURE_TORCH_LAYERNAMES_H
#define MEMKIT_CAPTURE_TORCH_LAYERNAMES_H

#include "InstanceDict.h"
#include "ModuleTable.h"
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
    uint32_t Text = Table.find(Module);
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
  /// A search among the objects of a program that has imported torch takes 9
  /// ms.
  static constexpr uint64_t FirstNs = 40'000'000;

  uint64_t unnamed(uintptr_t Module, uintptr_t Root);
  bool mayAsk(uintptr_t Root) const;
  void ask(uintptr_t Root);
  void tell(uintptr_t Module, uint32_t Text);
  uint32_t originalText(uintptr_t Module) const;

  // By the interpreter, with the GIL held.
  static int answer(void *Self);
  static void *dies(void *Number, void *Reference);
  void name(void *Root, const char *Given = nullptr);
  uint32_t fullName(const char *Root, const char *Path);
  uint32_t textFor(void *Module, const char *Path, const char *Root,
                   bool IsGiven);
  void nameOne(void *Module, const char *Path, const char *Root, bool IsGiven);
  void noteHooks(void *Module, void *Dict, bool IsReplica);
  bool isTaken(uint32_t Text, uintptr_t Module);
  bool watch(void *Module);
  void *findLive(uintptr_t Module);

  ModuleTable Table;
  /// Modules that have run without a name, the last ones, and the texts that
  /// stand for their names.
  struct Waiting {
    std::atomic<uintptr_t> Module; ///< its identity
    std::atomic<uint32_t> Text;
  };
  static constexpr uint32_t MaxWaiting = 128;
  /// Each needs a text of its own, for which there is not room without end.
  static constexpr uint32_t MaxUnnamed = 1 << 14;
  Waiting Waits[MaxWaiting] = {};
  std::atomic<uint32_t> NextWaiting{0};
  /// When the first request was; the processor time of all answers.
  std::atomic<uint64_t> BegunNs{0}, SpentNs{0};
  std::atomic<uintptr_t> Asked{0}; ///< the root that is asked for
  bool HasAll = false;
  InstanceDict Dicts;
  bool HasReplicas = false; ///< with the GIL held: there may be some
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
