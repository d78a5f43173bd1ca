// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections in the file of a binary.
//
// Finds a section of a loaded binary. Section headers are not loaded, so this
// reads the binary's file by some system calls, for rare binaries whose program
// headers do not give the place of the unwind tables.

#ifndef MEMKIT_CAPTURE_STACKS_SECTIONFILE_H
#define MEMKIT_CAPTURE_STACKS_SECTIONFILE_H

#include "Unwind/EhFrame.h"

namespace memkit::capture {

/// The addresses, without the bias, of the loaded section \p Name (at most 15
/// letters) of a binary with the file \p Path and its first page mapped at \p
/// Start. Empty: no such section, the file cannot be read, or the file has been
/// replaced.
AddressRange findSection(const char *Path, uint64_t Start, const char *Name);

/// Whether the file of findSection() has a section of a type, loaded or not.
bool hasSection(const char *Path, uint64_t Start, uint32_t Type);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_SECTIONFILE_H
