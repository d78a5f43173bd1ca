// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caches of Python's functools, by the functions of CPython in stacks.

#ifndef MEMKIT_LIB_ANALYSIS_FUNCTOOLSCACHES_H
#define MEMKIT_LIB_ANALYSIS_FUNCTOOLSCACHES_H

#include "memkit/Model/Trace.h"
#include <optional>

namespace memkit {

/// CPython's functions of functools.cache and lru_cache(None), and of
/// lru_cache(maxsize).
inline constexpr llvm::StringLiteral BoundlessWrapper =
    "infinite_lru_cache_wrapper";
inline constexpr llvm::StringLiteral BoundedWrapper =
    "bounded_lru_cache_wrapper";

/// The node that calls the innermost cache of Wrapper in the stack; nothing: no
/// such cache.
std::optional<uint32_t> callerOfCache(const Trace &T, uint32_t Stack,
                                      llvm::StringRef Wrapper);

/// Whether a cache of Wrapper fills below Caller: its table became larger again
/// and again. What a cached function keeps elsewhere, the cache does not keep.
/// Looks at all stacks.
bool fillsCache(const Trace &T, uint32_t Caller, llvm::StringRef Wrapper);

/// Whether the cache itself allocates, and no function of Python that it calls.
bool allocatesForCache(llvm::ArrayRef<ShownFrame> Stack,
                       llvm::StringRef Wrapper);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_FUNCTOOLSCACHES_H
