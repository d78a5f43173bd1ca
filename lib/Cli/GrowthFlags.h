// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of the search for growth.

#ifndef MEMKIT_LIB_CLI_GROWTHFLAGS_H
#define MEMKIT_LIB_CLI_GROWTHFLAGS_H

#include "memkit/Analysis/GrowthReport.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace memkit {

/// Registers --warm-up, --window, --min-growth and --level. Create before the
/// command line is parsed, and keep while options are read.
class GrowthFlags {
public:
  GrowthFlags();
  ~GrowthFlags();
  /// Errors: UsageErrors.
  llvm::Expected<GrowthOptions> options() const;

private:
  struct FlagSet;
  std::unique_ptr<FlagSet> Of;
};

} // namespace memkit

#endif // MEMKIT_LIB_CLI_GROWTHFLAGS_H
