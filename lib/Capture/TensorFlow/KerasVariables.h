// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables of Keras's layers.

#ifndef MEMKIT_CAPTURE_TENSORFLOW_KERASVARIABLES_H
#define MEMKIT_CAPTURE_TENSORFLOW_KERASVARIABLES_H

#include <cstdint>

namespace memkit::capture::tf {

/// Records the variables that a layer of Keras 3 holds itself, by shape and
/// dtype: trainable ones are parameters, the others buffers. \p Name: the text
/// of the layer's name. A layer that is not built has none. With the
/// interpreter's lock; leaves no Python error.
void reportVariables(void *Layer, uint32_t Name);

} // namespace memkit::capture::tf

#endif // MEMKIT_CAPTURE_TENSORFLOW_KERASVARIABLES_H
