//===- LibUnwindPipe.h - libunwind without its pipe -------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libunwind asks the kernel whether memory is readable by writing it into a
// pipe, which it keeps open. A program that gives one of the two numbers to a
// file of its own loses bytes of that file, or gets some into it. Here the
// question is put without a descriptor.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_CAPTURE_UNWIND_LIBUNWINDPIPE_H
#define MEMKIT_CAPTURE_UNWIND_LIBUNWINDPIPE_H

namespace memkit::capture {

/// Makes the loaded libunwind \p Handle (of dlopen; \p Start: its lowest
/// mapping) do without its pipe, before its first use. False: it is one that
/// does not import pipe2, read and write, or imports syscall; nothing is
/// changed then.
bool avoidPipe(void *Handle, const void *Start);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_LIBUNWINDPIPE_H
