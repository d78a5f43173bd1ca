// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds lines of source that may give away a password or a key.

#ifndef MEMKIT_LIB_SUPPORT_SECRETTEXT_H
#define MEMKIT_LIB_SUPPORT_SECRETTEXT_H

#include "llvm/ADT/StringRef.h"

namespace memkit {

/// Whether a line may give away a password or a key: a quoted text behind such
/// a word, a long word of letters and digits in quotes, an address with a user.
bool looksSecret(llvm::StringRef Line);

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_SECRETTEXT_H
