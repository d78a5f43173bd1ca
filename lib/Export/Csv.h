// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles as a table.

#ifndef MEMKIT_LIB_EXPORT_CSV_H
#define MEMKIT_LIB_EXPORT_CSV_H

#include "memkit/Model/Profile.h"
#include "memkit/Model/ScopeView.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// Writes Profiles of T as CSV (RFC 4180, lines end in LF): a row for each path
/// of names, the largest value of the first profile first, nothing folded. A
/// path is written as in collapsed stacks, `root;..;leaf`.
void writeCsv(llvm::raw_ostream &OS, ShownTree T,
              llvm::ArrayRef<Profile> Profiles);

/// Writes lines `root;..;leaf BEFORE AFTER`, one for each path of names, as
/// difffolded.pl does.
void writeCollapsedPair(llvm::raw_ostream &OS, ShownTree T,
                        const Profile &Before, const Profile &After);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_CSV_H
