// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The role of a Python process: the name of what it runs.

#ifndef MEMKIT_LIB_RECORD_PYTHONROLE_H
#define MEMKIT_LIB_RECORD_PYTHONROLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace memkit {

/// The role of a process that runs the program Exe with this command line: the
/// script's name (`train.py`), the module (`pkg.mod`), `-c`, or `python` when
/// Python reads a terminal or a pipe. A process started by multiprocessing has
/// its parent's name and its own task: `train.py (spawn)`, `train.py
/// (forkserver)`, `train.py (resource_tracker)`. Empty if the program is not
/// Python. Command comes from the process and may hold anything.
std::string pythonRole(llvm::StringRef Exe, llvm::ArrayRef<std::string> Command,
                       llvm::StringRef ParentRole);

/// The role of a child forked by a process of role Parent: `train.py (fork)`.
/// Empty if Parent is empty.
std::string forkedRole(llvm::StringRef Parent);

/// The role of worker Number, from 0, of a DataLoader, in place of its role
/// Own: `train.py (DataLoader worker 3)`.
std::string dataWorkerRole(llvm::StringRef Own, unsigned Number);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PYTHONROLE_H
