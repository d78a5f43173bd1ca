// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Known reasons of growth.

#ifndef MEMKIT_ANALYSIS_LEAKHINTS_H
#define MEMKIT_ANALYSIS_LEAKHINTS_H

#include "memkit/Analysis/GrowthLines.h"

namespace memkit {

enum class LeakHint : uint8_t {
  AutogradGraph,  ///< results of PyTorch operators keep their graph
  BoundlessCache, ///< functools.lru_cache(None), functools.cache
  OpenFiles,      ///< files that are not closed
  Threads,        ///< threads that are neither joined nor detached
  Container,      ///< a container that only grows
};

/// The reason that the frames of the growth's stacks show, of the part with the
/// most growth; none: no known reason. Looks at the stack with most surviving
/// bytes of each finding, with all its frames.
std::optional<LeakHint> findHint(const Trace &T, const GrowthReport &R,
                                 const LineGrowth &L);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_LEAKHINTS_H
