// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The allocators that --with names.

#ifndef MEMKIT_TOOLS_MEMSIM_ALLOCATORS_H
#define MEMKIT_TOOLS_MEMSIM_ALLOCATORS_H

#include "Simulate/TorchSettings.h"
#include <string>
#include <vector>

namespace memkit {

/// An allocator with its settings.
struct ChosenAllocator {
  std::string Name; ///< as the user wrote it: `torch:max_split_size_mb:128`
  TorchConfig Config;
  bool IsRecorded = false; ///< the settings of the recorded run
};

/// The allocators of --with, in order; without a --with the recorded settings
/// and the usual alternatives. Errors: UsageError.
llvm::Expected<std::vector<ChosenAllocator>>
chooseAllocators(llvm::ArrayRef<std::string> With,
                 const RecordedTorchConfig &Recorded);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSIM_ALLOCATORS_H
