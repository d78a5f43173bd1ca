// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections in the file of a binary.
//
// Where a section of a loaded binary lies. Section headers are not loaded, so
// the binary's file is read: some system calls, for the rare binary that does
// not say by its program headers where its unwind tables are.

#ifndef MEMKIT_CAPTURE_STACKS_SECTIONFILE_H
#define MEMKIT_CAPTURE_STACKS_SECTIONFILE_H

#include "Unwind/EhFrame.h"

namespace memkit::capture {

/// The addresses, without the bias, of the loaded section \p Name (at most 15
/// letters) of the binary whose file \p Path is and whose first page is mapped
/// at \p Start. Empty where there is none, or the file cannot be read or is
/// another one by now.
AddressRange findSection(const char *Path, uint64_t Start, const char *Name);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_SECTIONFILE_H
