// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beginnings and ends of programs.

#ifndef MEMKIT_CAPTURE_HOST_EXEC_H
#define MEMKIT_CAPTURE_HOST_EXEC_H

namespace memkit::capture {

/// Finds the real functions, so that a child of vfork need not.
void prepareExec();

/// Tells the recorder the status of exit, _exit and their like.
void prepareExit();

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_EXEC_H
