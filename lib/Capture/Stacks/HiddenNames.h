// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hides the library's hooks from programs that lack the hooked functions.
//
// A program may look up a function to find out whether a framework is there. A
// hook must not answer for a framework that is not loaded.

#ifndef MEMKIT_CAPTURE_STACKS_HIDDENNAMES_H
#define MEMKIT_CAPTURE_STACKS_HIDDENNAMES_H

#include <cstdint>

namespace memkit::capture {

/// Looks up a symbol without this library's hook of dlsym.
using FindSymbolFn = void *(*)(void *Handle, const char *Name);

/// Whether dlsym(\p Handle, \p Name) of the code at \p Caller must find
/// nothing: the result would be a definition of this library, and without this
/// library there would be none. True leaves the error of a failed look-up for
/// dlerror. Any thread outside signal handlers, as dlsym.
bool hidesName(FindSymbolFn Find, void *Handle, const char *Name,
               uintptr_t Caller);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_HIDDENNAMES_H
