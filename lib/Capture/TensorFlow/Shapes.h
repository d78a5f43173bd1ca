// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shapes of operators' inputs, and the floating point operations of their
// calls.
//
// Only for operators whose inputs are tensors in every version: TensorFlow ends
// a program that asks for an input which is a reference to a variable.

#ifndef MEMKIT_CAPTURE_TENSORFLOW_SHAPES_H
#define MEMKIT_CAPTURE_TENSORFLOW_SHAPES_H

#include "TensorFlowHooks.h"

#include <cstddef>
#include <cstdint>

namespace memkit::capture::tf {

/// Copies the dtypes and shapes of the inputs of the operator \p Type, which is
/// about to run in \p Context, to \p To: `float32[2,3] float32[3,4]`. The
/// number of bytes, at most \p Max; 0: the inputs are not known.
size_t inputsText(const void *Context, const NameView &Type, char *To,
                  size_t Max);

/// The operations of the call that has just ended; 0: no formula, or it failed.
/// A multiplication and an addition are two.
uint64_t flopsOf(const void *Context, const NameView &Type);

} // namespace memkit::capture::tf

#endif // MEMKIT_CAPTURE_TENSORFLOW_SHAPES_H
