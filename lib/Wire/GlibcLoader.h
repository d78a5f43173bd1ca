// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loaders of programs are glibc's.

#ifndef MEMKIT_WIRE_GLIBCLOADER_H
#define MEMKIT_WIRE_GLIBCLOADER_H

#include <cstring>

namespace memkit::wire {

/// Is a loader with this file name glibc's? `ld-linux-x86-64.so.2`, before 2000
/// and in other folders `ld-2.36.so`, of the LSB `ld-lsb-x86-64.so.3`. Others
/// are `ld-musl-x86_64.so.1`, `linker64`, `ld64-uClibc.so.0`, `ld-elf.so.1`.
inline bool isGlibcLoader(const char *Name) {
  return strncmp(Name, "ld-linux", 8) == 0 || strncmp(Name, "ld-2.", 5) == 0 ||
         strncmp(Name, "ld-lsb", 6) == 0;
}

} // namespace memkit::wire

#endif // MEMKIT_WIRE_GLIBCLOADER_H
