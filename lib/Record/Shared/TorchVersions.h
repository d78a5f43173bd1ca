// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which PyTorch a process has loaded.

#ifndef MEMKIT_LIB_RECORD_SHARED_TORCHVERSIONS_H
#define MEMKIT_LIB_RECORD_SHARED_TORCHVERSIONS_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace memkit {

/// `torch=VERSION` and `cuda=VERSION`, the CUDA that PyTorch was built for,
/// from `torch/version.py` of the library `torch/lib/ANY`. What is not found is
/// left out.
std::vector<std::string> torchVersions(llvm::StringRef Library);

/// The value that a line of Python gives a name: `__version__ = '2.13.0'`,
/// `cuda: Optional[str] = "12.8"`. Empty: none, or not a plain text of at most
/// 100 printable characters.
std::string assignedText(llvm::StringRef Source, llvm::StringRef Name);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SHARED_TORCHVERSIONS_H
