// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that a user may have meant.

#ifndef MEMKIT_LIB_SUPPORT_NEARNAME_H
#define MEMKIT_LIB_SUPPORT_NEARNAME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace memkit {

/// The one of Names nearest to Name, at most 2 edits away, or empty.
llvm::StringRef nearestName(llvm::StringRef Name,
                            llvm::ArrayRef<llvm::StringRef> Names);

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_NEARNAME_H
