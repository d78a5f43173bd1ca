// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of TorchScript.
//
// The modules inside of a TorchScript module run without frames of Python.
// While a function of TorchScript runs, torch::jit::currentModuleHierarchy()
// says which modules run: `TOP(Net)::forward`, `block(Block)::forward`. Each
// module inside of the outermost is a layer, inside of the layers that Python
// shows.

#ifndef MEMKIT_CAPTURE_TORCH_SCRIPTLAYERS_H
#define MEMKIT_CAPTURE_TORCH_SCRIPTLAYERS_H

#include "Runtime/ScopeStack.h"

#include <atomic>

namespace memkit::capture {

/// The number of functions of TorchScript that the calling thread runs.
extern __thread uint32_t ThisScriptDepth
    __attribute__((tls_model("initial-exec")));

/// One in a process, and valid in children of fork. Any thread.
class ScriptLayers {
public:
  /// Looks up PyTorch's functions. False: layers of TorchScript are not known.
  bool find();

  /// Is the open scope a layer of TorchScript?
  static bool isLayer(const OpenScope &S) {
    return !S.Function && S.Frame == ScriptFrame;
  }
  /// Ends the layers of TorchScript in \p S that do not run any more, then
  /// starts the new ones. The layers of Python are up to date.
  void follow(ThreadState &T, ScopeStack &S) {
    if (__builtin_expect(ThisScriptDepth != 0, 0))
      followModules(T, S);
  }

  /// No function of TorchScript runs any more: ends its layers.
  static void end(ThreadState &T, ScopeStack &S);

private:
  /// OpenScope::Frame of layers of TorchScript: no address.
  static constexpr uintptr_t ScriptFrame = 1;
  static constexpr unsigned MaxDepth = 64, MaxName = 128;
  void followModules(ThreadState &T, ScopeStack &S);

  void (*Hierarchy)(void *) = nullptr;
};

extern ScriptLayers Scripts;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_SCRIPTLAYERS_H
