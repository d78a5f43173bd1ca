// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of unwind tables.
//
// Evaluates the expressions by which tables give a CFA or a register where a
// register and an offset do not do: in procedure linkage tables, in the frames
// of signals, in assembly that realigns its stack.

#ifndef MEMKIT_CAPTURE_UNWIND_DWARFEXPRESSION_H
#define MEMKIT_CAPTURE_UNWIND_DWARFEXPRESSION_H

#include "DwarfReader.h"
#include "Rule.h"

namespace memkit::capture {

/// What there is to compute with.
struct ExpressionInput {
  const Registers &Regs;
  const StackReader &Stack;
};

/// Stepped: \p Value is what \p Expression computes from the registers and
/// memory of \p In; \p First lies on its stack at the start, where it is given.
/// Unknown, Failed: as for stepSlow. At most a few thousand operations are run.
StepResult evaluate(ByteSpan Expression, const ExpressionInput &In,
                    const uint64_t *First, uint64_t &Value);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_DWARFEXPRESSION_H
