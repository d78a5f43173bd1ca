// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file behind an address.
//
// The loader has the name of a binary as the program gave it: `./plugin.so` is
// of no use after the program has changed its folder. The kernel knows the
// file.

#ifndef MEMKIT_CAPTURE_STACKS_MAPPEDPATH_H
#define MEMKIT_CAPTURE_STACKS_MAPPEDPATH_H

#include <cstddef>
#include <cstdint>

namespace memkit::capture {

/// Writes the path of the file mapped at \p Start, with a NUL, into the \p Room
/// bytes at \p To. False: no such file, or a longer path. Reads /proc/self/maps
/// by system calls: for rare binaries.
bool mappedPath(uint64_t Start, char *To, size_t Room);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_MAPPEDPATH_H
