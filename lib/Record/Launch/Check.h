// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be recorded on this machine.

#ifndef MEMKIT_LIB_RECORD_LAUNCH_CHECK_H
#define MEMKIT_LIB_RECORD_LAUNCH_CHECK_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace memkit {

/// Prints what can be recorded on this machine and why not, line by line.
/// Returns whether a program can be recorded at all.
bool checkRecording(const std::string &Library,
                    llvm::function_ref<void(const llvm::Twine &)> Print);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_LAUNCH_CHECK_H
