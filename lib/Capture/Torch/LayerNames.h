// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of PyTorch's modules.
//
// A module (nn.Module) is known by its address. The name of a module is its
// path from the root module, `encoder.layers.3.attn`; the name of a root is its
// class. When a root is first seen running, a pending call asks the root for
// its named_modules() at a point that the interpreter chooses. A weak reference
// with a callback reports a module's death, because another module may get the
// address then.
//
// A replica, made by nn.DataParallel for a step, dies with the step. A replica
// has the name of its original: both have the same `_forward_hooks` in their
// __dict__.

#ifndef MEMKIT_CAPTURE_TORCH_LAYERNAMES_H
#define MEMKIT_CAPTURE_TORCH_LAYERNAMES_H

#include "InstanceDict.h"
#include "Python/ModuleTable.h"
#include "Python/NameQuestions.h"
#include "Python/WaitingNames.h"

#include <cstdint>

namespace memkit::capture {

class LayerNames {
public:
  /// \p E: the interpreter's symbols.
  void begin(const Exports &E) { Questions.begin(E); }

  /// Can the interpreter be asked?
  bool canAsk() const { return Questions.canAsk(); }

  /// The text of the name of the running module at \p Module, or of its class,
  /// with wire::SF_Unnamed, while the name is unknown. Any thread. \p Root: the
  /// outermost module that runs in the thread.
  uint64_t textOf(uintptr_t Module, uintptr_t Root) {
    uint32_t Text = Table.find(Module);
    return __builtin_expect(Text != 0, 1) ? Text : unnamed(Module, Root);
  }

  /// Names the modules of a root now: \p Given for the root, `Given.path` for
  /// the modules in it, whatever other roots they are in; null: the names of a
  /// root that is seen running. By a thread with the GIL.
  void nameNow(void *Root, const char *Given);

private:
  uint64_t unnamed(uintptr_t Module, uintptr_t Root);
  bool mayAsk(uintptr_t Root) const;
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
  WaitingNames Waits;      ///< by identity
  NameQuestions Questions; ///< about roots
  InstanceDict Dicts;
  bool HasReplicas = false; ///< replicas may exist; with the GIL held
  /// The module that has a text as its name; with the GIL held.
  struct Owner {
    uint32_t Text = 0;
    uintptr_t Module = 0;
  };
  static constexpr uint32_t NumOwners = 4096;
  Owner Owners[NumOwners];
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_LAYERNAMES_H
