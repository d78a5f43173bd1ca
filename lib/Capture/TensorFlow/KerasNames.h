// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of Keras's layers.
//
// A layer is known by its address. The name of a layer is its `path`,
// `net/encoder/dense`. When a layer is first seen running, a pending call asks
// the outermost layer that runs for all layers in it, at a point that the
// interpreter chooses. A weak reference with a callback reports a layer's
// death, because another layer may get the address then.

#ifndef MEMKIT_CAPTURE_TENSORFLOW_KERASNAMES_H
#define MEMKIT_CAPTURE_TENSORFLOW_KERASNAMES_H

#include "Python/ModuleTable.h"
#include "Python/NameQuestions.h"
#include "Python/WaitingNames.h"

#include <cstdint>

namespace memkit::capture::tf {

class KerasNames {
public:
  /// \p E: the interpreter's symbols.
  void begin(const Exports &E) { Questions.begin(E); }

  /// The text of the name of the running layer at \p Layer, or of its class,
  /// with wire::SF_Unnamed, while the name is unknown. Any thread.
  uint64_t textOf(uintptr_t Layer) {
    uint32_t Text = Table.find(Layer);
    return __builtin_expect(Text != 0, 1) ? Text : unnamed(Layer);
  }

private:
  uint64_t unnamed(uintptr_t Layer);

  // By the interpreter, with its lock held.
  static int answer(void *);
  static void *dies(void *Number, void *Reference);
  void nameRunning();
  void nameAll(void *Root);
  void nameOne(void *Layer);
  bool watch(void *Layer);

  ModuleTable Table;
  WaitingNames Waits;
  NameQuestions Questions; ///< about running layers
};

/// Those of this process.
KerasNames &kerasNames();

} // namespace memkit::capture::tf

#endif // MEMKIT_CAPTURE_TENSORFLOW_KERASNAMES_H
