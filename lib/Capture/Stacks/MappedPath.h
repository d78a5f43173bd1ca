// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file behind an address.
//
// The loader names a binary as it was asked for: `./plugin.so`, which says
// nothing once the program has changed its folder. The kernel knows the file.

#ifndef MEMKIT_CAPTURE_STACKS_MAPPEDPATH_H
#define MEMKIT_CAPTURE_STACKS_MAPPEDPATH_H

#include <cstddef>
#include <cstdint>

namespace memkit::capture {

/// Writes the path of the file that the mapping beginning at \p Start is of,
/// with a NUL, into the \p Room bytes at \p To. False where there is no such
/// file or its path is longer. Reads /proc/self/maps by system calls: for rare
/// binaries.
bool mappedPath(uint64_t Start, char *To, size_t Room);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_MAPPEDPATH_H
