// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a program's file may be preloaded.
//
// A program that is linked with a sanitizer's runtime does not survive a
// preloaded malloc. A loader that is not glibc's for x86-64 cannot load the
// library: musl's ends the program, a loader of 32 bits writes about it into
// the program's standard error.
//
// lib/Record/Shared/Preloadable.cpp has the same rules for the program that
// memrec starts, and explains the reason.

#ifndef MEMKIT_CAPTURE_HOST_PROGRAMFILE_H
#define MEMKIT_CAPTURE_HOST_PROGRAMFILE_H

namespace memkit::capture {

/// May the program in the open file \p Fd, or the interpreter of the script, be
/// preloaded? True also if the file cannot be read, or is no program. Allocates
/// nothing, leaves errno and the file's position alone, reads a bounded part of
/// the file, and writes to the stack only (1.5 KiB): safe in a child of vfork,
/// and on the stack of a crash handler.
bool mayBePreloaded(int Fd);

/// Opens \p Path, relative to \p Folder, for examination. Returns a descriptor
/// above the standard streams that exec closes; -1: the file does not exist,
/// cannot be read, or is no regular file. Never waits; leaves errno alone.
/// \p Path: may be a bad pointer; HasPath says whether the kernel could read
/// it.
int openToExamine(int Folder, const char *Path, bool &HasPath);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_PROGRAMFILE_H
