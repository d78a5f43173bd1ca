// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the header of a file alone.

#ifndef MEMKIT_TRACE_READHEADER_H
#define MEMKIT_TRACE_READHEADER_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace memkit {

/// The header of a trace, even of a damaged one; nothing: the file is no
/// regular file, no trace, or one that cannot be read.
std::optional<Header> readHeader(llvm::StringRef Path);

} // namespace memkit

#endif // MEMKIT_TRACE_READHEADER_H
