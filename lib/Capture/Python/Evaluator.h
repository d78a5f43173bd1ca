// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's evaluator.
//
// Finds the machine code of _PyEval_EvalFrameDefault: the function's own range,
// and the cold part that compilers place elsewhere. The cold part has a symbol
// only in an interpreter that is not stripped. So the cold part is found by its
// property: jumps lead from the function into the part's middle.

#ifndef MEMKIT_CAPTURE_PYTHON_EVALUATOR_H
#define MEMKIT_CAPTURE_PYTHON_EVALUATOR_H

#include "Unwind/EhFrame.h"

namespace memkit::capture {

struct Evaluator {
  AddressRange Main;
  AddressRange Cold; ///< empty: no cold part

  bool has(uintptr_t Pc) const { return Main.has(Pc) || Cold.has(Pc); }

  /// Finds the function at \p Entry in the binary with \p Tables; reads the
  /// function's code once. False: the tables have no such function.
  bool find(const EhFrame &Tables, uintptr_t Entry);

private:
  void findCold(const EhFrame &Tables);
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_EVALUATOR_H
