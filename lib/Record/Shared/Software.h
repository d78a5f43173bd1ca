// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which packages a process has loaded.

#ifndef MEMKIT_LIB_RECORD_SHARED_SOFTWARE_H
#define MEMKIT_LIB_RECORD_SHARED_SOFTWARE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace memkit {

/// Whether versionsOf() may find a version for a binary at Path: the binary
/// lies in a folder of Python packages, or is a CUDA runtime. Reads nothing.
bool mayHaveVersion(llvm::StringRef Path);

/// A text that is the same for binaries of one package.
std::string packageOf(llvm::StringRef Path);

/// `NAME=VERSION` of the packages that a binary at Path below Root belongs to:
/// from `NAME-VERSION.dist-info` (or `.egg-info`)
/// in the folder of packages, for PyTorch from `torch/version.py`, for a CUDA
/// runtime of the system from the full name of its file. jaxlib gives also the
/// version of jax, tensorflow that of keras. What is not found is left out.
/// Reads folders and files: may take long.
std::vector<std::string> versionsOf(const std::string &Root,
                                    llvm::StringRef Path);

/// The versions in a folder of packages with Entries, for the package with the
/// module Module: `jaxlib`, `nvidia/cuda_runtime`, `numpy.libs`.
std::vector<std::string> packageVersions(llvm::StringRef Module,
                                         llvm::ArrayRef<std::string> Entries);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SHARED_SOFTWARE_H
