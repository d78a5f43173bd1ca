// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code that torch.compile generates.

#include "CompiledCode.h"

#include "Runtime/Hook.h"
#include "Runtime/Recording.h"

using namespace memkit;
using namespace memkit::capture;

void CompiledCode::begin(const Exports &E) {
  bool HasAll = E.find("Py_AddPendingCall", AddPendingCall) &&
                E.find("PyRun_SimpleStringFlags", Run);
  if (!HasAll)
    Run = nullptr;
}

void CompiledCode::ask() {
  if (!Run || IsAsked.exchange(true, std::memory_order_acq_rel))
    return;
  // A full list of calls loses the request; a later function asks again.
  if (AddPendingCall(answer, this) != 0)
    IsAsked.store(false, std::memory_order_release);
}

/// Called by the interpreter, in its main thread, with its lock held. A child
/// of fork inherits the call, but has no functions of its own yet.
int CompiledCode::answer(void *Self) {
  // Defines no name in the program's module.
  static constexpr char Ask[] = R"(exec('''
try:
    from memkit import _compiled
    _compiled.follow()
except Exception:
    pass
''', {}))";
  auto *C = static_cast<CompiledCode *>(Self);
  if (C->Run && recordingThread())
    C->Run(Ask, nullptr);
  return 0;
}

//===----------------------------------------------------------------------===//
// The functions that _compiled.py calls, with the interpreter's lock held
//===----------------------------------------------------------------------===//

/// The number of a new text; 0: no room, or not recorded.
MEMKIT_EXPORT uint32_t memrec_generated_text(const char *Text, size_t Size) {
  return recordingThread() && Size ? Proc.Names.add(Text, Size) : 0;
}

/// Reports what a generated file computes from \p Line on. As
/// wire::GeneratedLineRecord.
MEMKIT_EXPORT void memrec_generated_line(uint32_t File, uint32_t Line,
                                         uint32_t Frames, uint32_t Layers) {
  ThreadState *T = File && Line ? recordingThread() : nullptr;
  if (T && hasRoom(*T))
    T->Ring.write(wire::GeneratedLineRecord{File, Line, Frames, Layers});
}
