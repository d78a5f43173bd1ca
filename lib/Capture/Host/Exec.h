// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts and ends of programs.

#ifndef MEMKIT_CAPTURE_HOST_EXEC_H
#define MEMKIT_CAPTURE_HOST_EXEC_H

namespace memkit::capture {

/// Finds the real functions, so that a child of vfork does not have to.
void prepareExec();

/// Finds the real functions, and registers a handler that reports the status of
/// exit, as the hooks do for _exit and its variants.
void prepareExit();

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_EXEC_H
