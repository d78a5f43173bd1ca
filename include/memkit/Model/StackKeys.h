//===- StackKeys.h - Stacks that mean the same -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_MODEL_STACKKEYS_H
#define MEMKIT_MODEL_STACKKEYS_H

#include "memkit/Model/Trace.h"

namespace memkit {

/// What makes two frames the same.
enum class SameFrame {
  Function, ///< function and module's name (Python: file's): holds across
            ///< builds
  Location, ///< also file and line: what a printed stack shows
};

/// A number for each node of T.view() (by id, 0 for the root) that depends only on the
/// frames from the root to it, as SameFrame says: equal stacks of different
/// traces have equal numbers. 64 bits: among a million stacks the chance of two
/// that are taken for one is below 10^-7.
std::vector<uint64_t> nodeKeys(const Trace &T, SameFrame How);

/// Function without what compilers append to the names of clones (`.isra.0`,
/// ` [clone .cold]`), which differs from build to build.
llvm::StringRef withoutCloneSuffix(llvm::StringRef Function);

} // namespace memkit

#endif // MEMKIT_MODEL_STACKKEYS_H
