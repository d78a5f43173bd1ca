// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a Python process is.

#ifndef MEMKIT_LIB_RECORD_PYTHONROLE_H
#define MEMKIT_LIB_RECORD_PYTHONROLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace memkit {

/// What a process that runs the program Exe by this command line is called: its
/// script's name (`train.py`), its module (`pkg.mod`), `-c`; `python` when it
/// reads a terminal or pipe. A process that multiprocessing has started has its
/// parent's name and its own task: `train.py (spawn)`, `train.py (forkserver)`,
/// `train.py (resource_tracker)`. Empty for what is no Python. Command comes
/// from the process and may be anything.
std::string pythonRole(llvm::StringRef Exe, llvm::ArrayRef<std::string> Command,
                       llvm::StringRef ParentRole);

/// Of a child that a process of the role Parent has forked: `train.py (fork)`.
/// Empty when that one has none.
std::string forkedRole(llvm::StringRef Parent);

/// Of the worker Number, from 0, of a DataLoader, which was called Own before:
/// `train.py (DataLoader worker 3)`.
std::string dataWorkerRole(llvm::StringRef Own, unsigned Number);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PYTHONROLE_H
