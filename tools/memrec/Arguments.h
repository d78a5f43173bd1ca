// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects memrec's options from the command line, --config and MEMREC_OPTIONS.

#ifndef MEMKIT_TOOLS_MEMREC_ARGUMENTS_H
#define MEMKIT_TOOLS_MEMREC_ARGUMENTS_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace memkit {

struct Arguments {
  std::string Target;               ///< the process of --census
  std::vector<std::string> Options; ///< argv[0] and options, weakest first
  std::vector<std::string> Command; ///< the program and its arguments
};

/// Separates memrec's own options from the program's arguments, and puts the
/// options of --config and of MEMREC_OPTIONS first: a later option wins.
/// Register the options with llvm::cl before the call.
llvm::Expected<Arguments> collectArguments(int Argc, char **Argv);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMREC_ARGUMENTS_H
