// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which function of malloc's family served each stack.

#ifndef MEMKIT_LIB_SIMULATE_REQUESTFUNCTIONS_H
#define MEMKIT_LIB_SIMULATE_REQUESTFUNCTIONS_H

#include "Wire/ReplayCommands.h"
#include "memkit/Model/Trace.h"
#include <vector>

namespace memkit {

/// The leaf frame of a stack names the function that the program called.
class RequestFunctions {
public:
  RequestFunctions() = default;
  /// Needs TP_Stacks; without it all requests are malloc's.
  explicit RequestFunctions(const Trace &T);
  wire::ReplayOp of(uint32_t Stack) const {
    return Stack < Ops.size() ? Ops[Stack] : wire::ReplayOp::Allocate;
  }

private:
  std::vector<wire::ReplayOp> Ops; ///< by stack
};

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_REQUESTFUNCTIONS_H
