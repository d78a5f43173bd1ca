// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating point operations of PyTorch's operators, from the shapes of their
// inputs.
//
// The formulas are those of torch/utils/flop_counter.py (PyTorch 2.13,
// flop_registry): a multiplication and an addition are two operations; a bias,
// a mask and the softmax of attention are not counted, and causal attention
// counts as full attention. Attention on the CPU, which flop_counter.py leaves
// out, has the formula of the other kinds of attention.

#ifndef MEMKIT_LIB_RECORD_FLOPFORMULAS_H
#define MEMKIT_LIB_RECORD_FLOPFORMULAS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace memkit {

/// The operations of one call of an operator (`aten::addmm`) with the inputs of
/// a text (Capture/Torch/InputShapes.h), which may be anything. 0: the operator
/// has no formula, or the inputs do not fit the formula. A number beyond 64
/// bits becomes the largest number. Any thread.
uint64_t flopsOf(llvm::StringRef Operator, llvm::StringRef Inputs);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_FLOPFORMULAS_H
