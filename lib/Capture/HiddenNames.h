// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hides the library's hooks from programs that lack the hooked functions.
//
// A program may look up a function, or refer to it weakly, to find out whether
// a framework is there. A hook must not answer for a framework that is not
// loaded.

#ifndef MEMKIT_CAPTURE_HIDDENNAMES_H
#define MEMKIT_CAPTURE_HIDDENNAMES_H

#include "Runtime/Source.h"

namespace memkit::capture {

/// Whether this library may have a hook of that name which must be hidden.
bool isHookOfFramework(const char *Name);

/// Weak references to hooks of functions that no loaded binary has become
/// null, as they are without this library.
extern const Source WeakReferences;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HIDDENNAMES_H
