// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files for speedscope.

#ifndef MEMKIT_LIB_EXPORT_SPEEDSCOPE_H
#define MEMKIT_LIB_EXPORT_SPEEDSCOPE_H

#include "NodeRanks.h"
#include "memkit/Model/Profile.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// Writes Profiles of T as a file of speedscope's format with shared frames.
/// Ranks: of T. A weight is a byte, or an allocation. Unless Full, small frames
/// are folded (see FlameBuilder), so that the file stays below 20 MB.
///
/// InOrder: a last profile, whose values are drawn one by one from the left,
/// merged only with their neighbours. If there are many, smaller values are
/// folded with their neighbours. May be null. Title: of the file.
void writeSpeedscope(llvm::raw_ostream &OS, ShownTree T, const NodeRanks &Ranks,
                     llvm::ArrayRef<Profile> Profiles, bool Full,
                     const Profile *InOrder, llvm::StringRef Title);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_SPEEDSCOPE_H
