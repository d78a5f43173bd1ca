// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of unwind tables.
//
// Evaluates the expressions for a CFA or a register that is more than a
// register and an offset: in procedure linkage tables, in the frames of
// signals, in assembly with a realigned stack.

#ifndef MEMKIT_CAPTURE_UNWIND_DWARFEXPRESSION_H
#define MEMKIT_CAPTURE_UNWIND_DWARFEXPRESSION_H

#include "DwarfReader.h"
#include "Rule.h"

namespace memkit::capture {

/// The registers and memory of an expression.
struct ExpressionInput {
  const Registers &Regs;
  const StackReader &Stack;
};

/// Stepped: \p Value is the result of \p Expression for the registers and
/// memory of \p In, with \p First, unless null, on the expression's stack at
/// the start. Unknown, Failed: as for stepSlow. Runs at most a few thousand
/// operations.
StepResult evaluate(ByteSpan Expression, const ExpressionInput &In,
                    const uint64_t *First, uint64_t &Value);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_DWARFEXPRESSION_H
