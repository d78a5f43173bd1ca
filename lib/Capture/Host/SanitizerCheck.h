// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sanitizers in a program's file.
//
// Whether a program is linked with a sanitizer's runtime, from its file: such a
// program does not survive a preloaded malloc.
// lib/Record/Launch/Preloadable.cpp has the same rules for what memrec itself
// starts, and says the reason.

#ifndef MEMKIT_CAPTURE_HOST_SANITIZERCHECK_H
#define MEMKIT_CAPTURE_HOST_SANITIZERCHECK_H

namespace memkit::capture {

/// Is the program in the open file \p Fd, or the interpreter that it names as a
/// script, linked with the runtime of AddressSanitizer, ThreadSanitizer,
/// MemorySanitizer, HWAddressSanitizer or LeakSanitizer? False when it cannot
/// be read or is no ELF file of ours. Allocates nothing, leaves errno and the
/// file's position alone, reads a bounded part of the file, and writes to the
/// stack only (6 KiB): good in a child of vfork.
bool hasSanitizer(int Fd);

/// Opens \p Path, relative to \p Folder, to look into it. The descriptor,
/// closed by exec and above the standard streams; -1: it is not there, cannot
/// be read, or is no regular file. Never waits; leaves errno alone.
int openToExamine(int Folder, const char *Path);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_SANITIZERCHECK_H
