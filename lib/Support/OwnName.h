// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of a process that a tool forks.

#ifndef MEMKIT_LIB_SUPPORT_OWNNAME_H
#define MEMKIT_LIB_SUPPORT_OWNNAME_H

#include "llvm/ADT/StringRef.h"

namespace memkit {

/// Gives this process a name and a command line of its own: whoever looks for
/// the tool by its command line should find one process.
void setOwnName(llvm::StringLiteral Name);

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_OWNNAME_H
