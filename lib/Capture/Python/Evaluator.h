// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's evaluator.
//
// Where the machine code of _PyEval_EvalFrameDefault lies: its own range, and
// the part that compilers put elsewhere because it is rarely run. That part has
// a symbol only where an interpreter is not stripped; so it is found by what
// makes it one: jumps lead from the function into its middle.

#ifndef MEMKIT_CAPTURE_PYTHON_EVALUATOR_H
#define MEMKIT_CAPTURE_PYTHON_EVALUATOR_H

#include "Unwind/EhFrame.h"

namespace memkit::capture {

struct Evaluator {
  AddressRange Main;
  AddressRange Cold; ///< empty: there is none

  bool has(uintptr_t Pc) const { return Main.has(Pc) || Cold.has(Pc); }

  /// The function at \p Entry in the binary with \p Tables. False: the tables
  /// do not know it. Reads its code once.
  bool find(const EhFrame &Tables, uintptr_t Entry);

private:
  void findCold(const EhFrame &Tables);
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_EVALUATOR_H
