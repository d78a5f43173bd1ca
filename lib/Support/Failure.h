// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors that are plain text, and errors of system calls.

#ifndef MEMKIT_LIB_SUPPORT_FAILURE_H
#define MEMKIT_LIB_SUPPORT_FAILURE_H

#include "llvm/Support/Error.h"
#include <cerrno>
#include <cstring>

namespace memkit {

/// An error that consists of a text.
inline llvm::Error makeError(const llvm::Twine &What) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), What);
}

/// What, followed by the text of errno.
inline llvm::Error failErrno(const llvm::Twine &What) {
  return makeError(What + ": " + std::strerror(errno));
}

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_FAILURE_H
