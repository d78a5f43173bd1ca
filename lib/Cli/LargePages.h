// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocates large blocks in large pages.
//
// A tool that reads a large trace touches hundreds of megabytes once, and
// faults of 4 KiB pages would take a fifth of its time. useLargePages() brings
// its own operator new into the program, and this operator new asks the kernel
// for large pages.

#ifndef MEMKIT_LIB_CLI_LARGEPAGES_H
#define MEMKIT_LIB_CLI_LARGEPAGES_H

namespace memkit {

/// After this call, operator new aligns blocks of 2 MiB and more to a large
/// page and advises the kernel to use large pages. Such blocks are freed as
/// others are. Call only from main(), before other threads start.
void useLargePages();

} // namespace memkit

#endif // MEMKIT_LIB_CLI_LARGEPAGES_H
