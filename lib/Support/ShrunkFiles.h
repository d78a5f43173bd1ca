// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapped files that become shorter.

#ifndef MEMKIT_LIB_SUPPORT_SHRUNKFILES_H
#define MEMKIT_LIB_SUPPORT_SHRUNKFILES_H

namespace memkit {

/// For a tool that keeps files mapped for long: from now on, the bytes that a
/// file loses (another program truncates or overwrites it) read as zeros in
/// place of SIGBUS. The checksums of a trace's sections make such bytes an
/// error. Call once, before other threads start.
void readShrunkFilesAsZeros();

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_SHRUNKFILES_H
