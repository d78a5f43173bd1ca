// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plans of JAX's compiled programs.
//
// XLA knows of each compiled program how much memory the program takes and how
// many operations the program has. When a program runs for the first time,
// memkit asks JAX for these figures at a point where the interpreter runs
// pending calls: the package memkit (_jax.py) calls functions of JAX's
// executables, and reports the results.

#ifndef MEMKIT_CAPTURE_JAX_JAXPROGRAMS_H
#define MEMKIT_CAPTURE_JAX_JAXPROGRAMS_H

#include "Python/PendingCode.h"

#include <atomic>
#include <cstdint>

namespace memkit::capture {

/// One in a process. Any thread.
class JaxPrograms {
public:
  /// \p E: the interpreter's symbols.
  void begin(const Exports &E);

  /// The executable at \p Program, whose name is \p Text, runs.
  void note(const void *Program, uint32_t Text) {
    SeenProgram *P = place(uintptr_t(Program));
    if (__builtin_expect(P && !P->is(uintptr_t(Program), Text), 0))
      add(*P, uintptr_t(Program), Text);
  }

private:
  /// A later executable may take the place of an earlier one.
  struct SeenProgram {
    std::atomic<uintptr_t> Program;
    std::atomic<uint32_t> Text;
    bool is(uintptr_t P, uint32_t T) const {
      return Program.load(std::memory_order_acquire) == P &&
             Text.load(std::memory_order_relaxed) == T;
    }
  };
  static constexpr unsigned Bits = 12;
  SeenProgram *place(uintptr_t Program);
  void add(SeenProgram &To, uintptr_t Program, uint32_t Text);

  std::atomic<SeenProgram *> Table{nullptr};
  PendingCode Report;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_JAX_JAXPROGRAMS_H
