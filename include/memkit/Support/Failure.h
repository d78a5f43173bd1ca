// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the system.

#ifndef MEMKIT_SUPPORT_FAILURE_H
#define MEMKIT_SUPPORT_FAILURE_H

#include "llvm/Support/Error.h"
#include <cerrno>
#include <cstring>

namespace memkit {

/// What, and what errno says of it.
inline llvm::Error failErrno(const llvm::Twine &What) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 What + ": " + std::strerror(errno));
}

} // namespace memkit

#endif // MEMKIT_SUPPORT_FAILURE_H
