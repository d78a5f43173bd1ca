// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plans of JAX's compiled programs.

#include "JaxPrograms.h"

#include "JaxHooks.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"

using namespace memkit;
using namespace memkit::capture;

void JaxPrograms::begin(const Exports &E) {
  bool HasAll = E.find("Py_AddPendingCall", AddPendingCall) &&
                E.find("PyRun_SimpleStringFlags", Run);
  if (!HasAll)
    Run = nullptr;
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
  if (!Run || IsAsked.exchange(true, std::memory_order_acq_rel))
    return;
  // A full list of calls loses the request; a later program asks again.
  if (AddPendingCall(answer, this) != 0)
    IsAsked.store(false, std::memory_order_release);
}

/// Called by the interpreter, in its main thread, with its lock held. A child
/// of fork inherits the call, but has no functions of its own yet.
int JaxPrograms::answer(void *Self) {
  // Defines no name in the program's module.
  static constexpr char Ask[] = R"(exec('''
try:
    from memkit import _jax
    _jax.report_programs()
except Exception:
    pass
''', {}))";
  auto *P = static_cast<JaxPrograms *>(Self);
  P->IsAsked.store(false, std::memory_order_release);
  if (P->Run && recordingThread())
    P->Run(Ask, nullptr);
  return 0;
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
