// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files for pprof.

#ifndef MEMKIT_LIB_EXPORT_PPROF_H
#define MEMKIT_LIB_EXPORT_PPROF_H

#include "memkit/Model/Profile.h"
#include "memkit/Model/ScopeView.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// Writes Profiles of T, at least one, as one gzipped profile.proto. Each node
/// of the tree with a value becomes a sample with a value for each profile;
/// nothing is folded. The file includes symbols.
void writePprof(llvm::raw_ostream &OS, ShownTree T,
                llvm::ArrayRef<Profile> Profiles);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_PPROF_H
