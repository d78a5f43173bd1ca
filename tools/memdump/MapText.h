// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a map.

#ifndef MEMKIT_TOOLS_MEMDUMP_MAPTEXT_H
#define MEMKIT_TOOLS_MEMDUMP_MAPTEXT_H

#include "memkit/Analysis/DeviceMap.h"
#include "memkit/Model/Libraries.h"

namespace memkit {

/// The innermost scope of a kind in a scope path; empty where there is none.
llvm::StringRef innermostScope(const Trace &T, uint32_t ScopePath, ScopeKind K);

/// What a block is for: its layer and operator, or a line of those who asked.
std::string purposeOf(const Trace &T, const Libraries &Asked,
                      uint32_t ScopePath, uint32_t Stack);

/// What is free, in millionths of all Bytes.
uint32_t freePpm(uint64_t Free, uint64_t Bytes);

llvm::StringRef causeText(OomCause::Kind Why); ///< for people
llvm::StringRef causeKey(OomCause::Kind Why);  ///< in JSON

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_MAPTEXT_H
