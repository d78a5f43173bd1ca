// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loader's notice of libraries that it has mapped.
//
// Before glibc's loader runs the constructors of libraries that it has mapped,
// it calls an empty function, for debuggers (r_debug of <link.h>). Here that
// function jumps to this library.

#ifndef MEMKIT_CAPTURE_DETOURS_LOADERNOTICE_H
#define MEMKIT_CAPTURE_DETOURS_LOADERNOTICE_H

#include <link.h>

namespace memkit::capture {

/// Calls \p Found from now on for each binary that the loader has mapped and
/// whose code has not run, and \p Gone with the link_map, which is no more, of
/// each that it has unmapped; in the thread that loads or unloads it, with the
/// loader's lock. Once in a program, before it has a second thread. False: the
/// loader is of another kind, or a debugger has the function.
bool watchLoader(void (*Found)(const link_map &),
                 void (*Gone)(const link_map *));

/// Calls \p Do for each binary that is loaded now.
void eachLoaded(void (*Do)(const link_map &));

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_DETOURS_LOADERNOTICE_H
