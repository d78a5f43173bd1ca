// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints what programs would take with another malloc.

#ifndef MEMKIT_TOOLS_MEMSIM_HOSTTEXT_H
#define MEMKIT_TOOLS_MEMSIM_HOSTTEXT_H

#include "HostAllocators.h"
#include "SimPage.h"

namespace memkit {

/// Everything that is printed.
struct HostView {
  const Trace &T;
  const HostTarget &Target;
  llvm::ArrayRef<HostAllocator> Allocators;
  llvm::ArrayRef<HostResult> Results; ///< of Allocators
};

/// For people: the answer, a row for each allocator, and how good it is.
void printHost(SimPage &P, const HostView &V);
/// A curve for each allocator.
void printHostTimeline(SimPage &P, const HostView &V, bool Ascii);
/// The resident bytes of a replay, by interval; none of a replay that failed.
llvm::ArrayRef<uint64_t> pointsOf(const HostResult &R);
/// For scripts; docs/CommandGuide/memsim.md has the fields.
void writeHostJson(llvm::raw_ostream &OS, const HostView &V);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSIM_HOSTTEXT_H
