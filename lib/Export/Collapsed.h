// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collapsed stacks.

#ifndef MEMKIT_LIB_EXPORT_COLLAPSED_H
#define MEMKIT_LIB_EXPORT_COLLAPSED_H

#include "memkit/Model/Profile.h"
#include "memkit/Model/ScopeView.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// Writes P, a profile of T, as lines `root;..;leaf VALUE`, one for each path
/// of names. Nothing is folded: the values sum to P.Total. In names a `;`
/// becomes `:` and a line break a space.
void writeCollapsed(llvm::raw_ostream &OS, ShownTree T, const Profile &P);

/// Writes one such line for a stack, innermost frame first.
void writeCollapsedLine(llvm::raw_ostream &OS, llvm::ArrayRef<ShownFrame> Stack,
                        uint64_t Value);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_COLLAPSED_H
