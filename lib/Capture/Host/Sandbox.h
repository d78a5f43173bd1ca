// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks of the calls by which a program gives up system calls.

#ifndef MEMKIT_CAPTURE_HOST_SANDBOX_H
#define MEMKIT_CAPTURE_HOST_SANDBOX_H

namespace memkit::capture {

/// Finds libc's functions in advance.
void prepareSandbox();

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_SANDBOX_H
