// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Has a program that is being recorded look for names of Python.

#ifndef MEMKIT_TOOLS_MEMDUMP_ASKHOLDERS_H
#define MEMKIT_TOOLS_MEMDUMP_ASKHOLDERS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace memkit {

/// Asks the processes of a recording (`live:PID`) for the names that hold
/// memory, and waits until the recording has their answers: some seconds at
/// most. Warns if no process answers. Errors name the recording.
llvm::Error askHolders(llvm::StringRef Recording);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_ASKHOLDERS_H
