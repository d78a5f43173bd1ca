// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code that torch.compile generates.

#include "CompiledCode.h"

#include "Runtime/Hook.h"
#include "Runtime/Recording.h"

using namespace memkit;
using namespace memkit::capture;

static constexpr char Follow[] = R"(exec('''
try:
    from memkit import _compiled
    _compiled.follow()
except Exception:
    pass
''', {}))";

void memkit::capture::beginCompiledCode(PendingCode &To, const Exports &E) {
  To.begin(E, Follow, PendingCode::Runs::Once);
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
