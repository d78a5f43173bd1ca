// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of a loaded binary that name functions.

#ifndef MEMKIT_CAPTURE_JAX_IMPORTSLOT_H
#define MEMKIT_CAPTURE_JAX_IMPORTSLOT_H

#include <cstdint>

namespace memkit::capture {

/// The word through which a binary calls the imported function \p Name; null:
/// the binary does not call the function.
uintptr_t *importSlot(const void *LinkMap, const char *Name);

/// Sets a word of a binary, which the loader may have made read-only. False:
/// the kernel refuses. Other threads may read the word at the same time.
bool setWord(const void *LinkMap, uintptr_t *At, uintptr_t Value);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_JAX_IMPORTSLOT_H
