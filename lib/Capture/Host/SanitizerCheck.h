// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds sanitizers in a program's file.
//
// A program that is linked with a sanitizer's runtime does not survive a
// preloaded malloc.
//
// lib/Record/Shared/Preloadable.cpp has the same rules for the program that
// memrec starts, and explains the reason.

#ifndef MEMKIT_CAPTURE_HOST_SANITIZERCHECK_H
#define MEMKIT_CAPTURE_HOST_SANITIZERCHECK_H

namespace memkit::capture {

/// Is the program in the open file \p Fd, or the interpreter of the script,
/// linked with the runtime of AddressSanitizer, ThreadSanitizer,
/// MemorySanitizer, HWAddressSanitizer or LeakSanitizer? False if the file
/// cannot be read or is no ELF file for x86-64. Allocates nothing, leaves errno
/// and the file's position alone, reads a bounded part of the file, and writes
/// to the stack only (6 KiB): safe in a child of vfork.
bool hasSanitizer(int Fd);

/// Opens \p Path, relative to \p Folder, for examination. Returns a descriptor
/// above the standard streams that exec closes; -1: the file does not exist,
/// cannot be read, or is no regular file. Never waits; leaves errno alone.
int openToExamine(int Folder, const char *Path);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_SANITIZERCHECK_H
