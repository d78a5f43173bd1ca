// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plans of JAX's compiled programs.

#include "JaxPrograms.h"

#include "Runtime/Hook.h"
#include "Runtime/Recording.h"

using namespace memkit;
using namespace memkit::capture;

static constexpr char ReportText[] = R"(exec('''
try:
    from memkit import _jax
    _jax.report_programs()
except Exception:
    pass
''', {}))";

void JaxPrograms::begin(const Exports &E) {
  Report.begin(E, ReportText, PendingCode::Runs::Again);
}

JaxPrograms::SeenProgram *JaxPrograms::place(uintptr_t Program) {
  SeenProgram *T = Table.load(std::memory_order_acquire);
  if (__builtin_expect(!T, 0)) {
    constexpr size_t Bytes = sizeof(SeenProgram) << Bits;
    auto *New = static_cast<SeenProgram *>(sys::mapPrivate(Bytes));
    if (!New || Table.compare_exchange_strong(T, New))
      T = New;
    else
      sys::unmap(New, Bytes);
  }
  return T ? T + (Program / 16 * 0x9e3779b97f4a7c15ull >> (64 - Bits))
           : nullptr;
}

void JaxPrograms::add(SeenProgram &To, uintptr_t Program, uint32_t Text) {
  To.Program.store(0, std::memory_order_relaxed);
  To.Text.store(Text, std::memory_order_release);
  To.Program.store(Program, std::memory_order_release);
  Report.ask();
}

//===----------------------------------------------------------------------===//
// The functions that _jax.py calls, with the interpreter's lock held
//===----------------------------------------------------------------------===//

static void writeFigures(wire::FigureKind Of, uint32_t Text,
                         const uint64_t *Values, uint32_t Count) {
  ThreadState *T = Text && isRecording() ? recordingThread() : nullptr;
  for (uint32_t I = 0; T && I != Count && hasRoom(*T); ++I)
    T->Ring.write(wire::FigureRecord{Values[I], Text, Of, I, Count});
}

/// Reports the plan of a program. Values: as wire::FigureKind::Program.
MEMKIT_EXPORT void memrec_jax_program(const char *Text, size_t Size,
                                      const uint64_t *Values, uint32_t Count) {
  if (recordingThread() && Count && Count <= wire::MaxFigures)
    writeFigures(wire::FigureKind::Program, Proc.Names.intern(Text, Size),
                 Values, Count);
}

/// Reports the live arrays of one type and shape.
MEMKIT_EXPORT void memrec_jax_arrays(const char *Text, size_t Size,
                                     uint64_t Count, uint64_t Bytes) {
  uint64_t Values[] = {Count, Bytes};
  if (recordingThread())
    writeFigures(wire::FigureKind::Arrays, Proc.Names.intern(Text, Size),
                 Values, 2);
}
