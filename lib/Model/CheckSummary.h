//===- CheckSummary.h - Compares a summary with another ---------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_LIB_MODEL_CHECKSUMMARY_H
#define MEMKIT_LIB_MODEL_CHECKSUMMARY_H

#include "memkit/Model/Check.h"
#include <optional>

namespace memkit {

/// The last complete set of Summary blocks, joined to one; nothing when there
/// is none. Ids are checked against Limits.
llvm::Expected<std::optional<Summary>> readLastSummary(TraceReader &R,
                                                       const IdLimits &Limits);

/// Adds to Out how Said, the file's, differs from Is, that of the events.
void compareSummaries(const Summary &Said, const Summary &Is, CheckResult &Out);

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_CHECKSUMMARY_H
