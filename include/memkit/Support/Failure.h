//===- Failure.h - Errors of the system -------------------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
