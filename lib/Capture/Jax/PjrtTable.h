// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the buffers of a plugin for PJRT.
//
// JAX looks up GetPjrtApi in a plugin and calls the plugin's functions through
// the table that GetPjrtApi gives. memkit gives JAX a copy of the table with
// functions of its own for calls that make and delete buffers; the plugin's own
// table stays as it is. A buffer is known by its handle, because its address on
// the device may not be known yet. The compiled program and its line come from
// JaxHooks, whatever the device.

#ifndef MEMKIT_CAPTURE_JAX_PJRTTABLE_H
#define MEMKIT_CAPTURE_JAX_PJRTTABLE_H

#include "Runtime/Source.h"

namespace memkit::capture {

/// The function to give to a program that has looked up GetPjrtApi and found \p
/// Function.
void *pjrtFunction(void *Function);

extern const Source PjrtSource;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_JAX_PJRTTABLE_H
