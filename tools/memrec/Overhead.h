// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --overhead: what recording costs a program.

#ifndef MEMKIT_TOOLS_MEMREC_OVERHEAD_H
#define MEMKIT_TOOLS_MEMREC_OVERHEAD_H

#include "Record/Recorder.h"

namespace memkit {

bool wantsOverhead();
/// Runs the command alone and recorded in turn, and prints the ratios of their
/// times to standard output. The exit status. Errors: a run did not work.
llvm::Expected<int> measureOverhead(const RecordOptions &O);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMREC_OVERHEAD_H
