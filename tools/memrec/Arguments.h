// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memrec's options, from three places.

#ifndef MEMKIT_TOOLS_MEMREC_ARGUMENTS_H
#define MEMKIT_TOOLS_MEMREC_ARGUMENTS_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace memkit {

struct Arguments {
  std::vector<std::string> Options; ///< argv[0] and options, weakest first
  std::vector<std::string> Command; ///< the program and its arguments
};

/// Parts memrec's own options from the program's, and puts those of --config
/// and of MEMREC_OPTIONS before them: a later one wins. The options must be
/// registered with llvm::cl by now.
llvm::Expected<Arguments> collectArguments(int Argc, char **Argv);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMREC_ARGUMENTS_H
