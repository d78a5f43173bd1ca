// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large pages for large blocks.
//
// A tool that reads a large trace touches hundreds of megabytes once, and the
// faults of 4 KiB pages are a fifth of its time. A program that calls
// useLargePages() gets its own operator new with it, which asks the kernel for
// large pages where it may give them.

#ifndef MEMKIT_LIB_CLI_LARGEPAGES_H
#define MEMKIT_LIB_CLI_LARGEPAGES_H

namespace memkit {

/// From now on, what operator new gives of 2 MiB and more begins at a large
/// page and is advised for such. It is freed as always. For main() alone,
/// before other threads.
void useLargePages();

} // namespace memkit

#endif // MEMKIT_LIB_CLI_LARGEPAGES_H
