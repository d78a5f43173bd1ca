// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of a memory map.

#ifndef MEMKIT_TOOLS_MEMDUMP_MAPTEXT_H
#define MEMKIT_TOOLS_MEMDUMP_MAPTEXT_H

#include "Model/Trace/OwnCode.h"
#include "memkit/Analysis/DeviceMap.h"
#include "memkit/Model/Libraries.h"

namespace memkit {

/// The innermost scope of kind K in a scope path; empty if none.
llvm::StringRef innermostScope(const Trace &T, uint32_t ScopePath, ScopeKind K);

/// The purpose of a block: its layer and operator, or the line that asked for
/// it.
std::string purposeOf(const Trace &T, const Libraries &Asked,
                      uint32_t ScopePath, uint32_t Stack);

/// The code for which a pool was made: the innermost line of the user's own
/// Python code, else as purposeOf().
std::string makerOf(const Trace &T, const Libraries &Asked, const OwnCode &Own,
                    const MappedPool &P);

/// The share of free bytes, in millionths of Bytes.
uint32_t freePpm(uint64_t Free, uint64_t Bytes);

llvm::StringRef causeText(OomCause::OomCauseKind Why); ///< for people
llvm::StringRef causeKey(OomCause::OomCauseKind Why);  ///< in JSON

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_MAPTEXT_H
