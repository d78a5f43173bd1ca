// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loader's notice of libraries that it has mapped.
//
// Before glibc's loader runs the constructors of libraries that it has mapped,
// it calls an empty function, for debuggers (r_debug of <link.h>). Here that
// function jumps to this library.

#ifndef MEMKIT_CAPTURE_DETOURS_LOADERNOTICE_H
#define MEMKIT_CAPTURE_DETOURS_LOADERNOTICE_H

#include "Wire/Attach.h"

#include <link.h>

namespace memkit::capture {

/// Calls the sources' Mapped and Unmapped from now on. Once in a program,
/// before it has a second thread. False: the loader is of another kind, or a
/// debugger has the function.
bool watchLoader();

/// As watchLoader() for a program that ran before: what memrec is to write over
/// the loader's function while all threads stand.
bool planLoaderWatch(wire::CodePatchRow &Row);
/// In such a program, before memrec writes: sources are told nothing.
void renewLoaderWatch();
/// In such a program, before a dlopen: sources are told from now on, if memrec
/// has written. What is loaded now is not new.
void beginLoaderWatch();

/// Calls \p Do for each binary that is loaded now.
void eachLoaded(void (*Do)(const link_map &));

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_DETOURS_LOADERNOTICE_H
