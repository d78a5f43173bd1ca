// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of virtual functions, as the C++ ABI of Linux lays them out: two words
// precede the functions, the second names the class.

#ifndef MEMKIT_CAPTURE_TORCH_VIRTUALTABLE_H
#define MEMKIT_CAPTURE_TORCH_VIRTUALTABLE_H

namespace memkit::capture {

/// The mangled name of the class of an object with virtual functions; empty: no
/// readable name. A class that other binaries cannot name begins with `*`.
const char *className(void *const *Functions);

/// The number of functions at the start of the table, at most \p Max.
unsigned countFunctions(void *const *Functions, unsigned Max);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_VIRTUALTABLE_H
