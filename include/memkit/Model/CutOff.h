// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a trace lacks the end of its run.

#ifndef MEMKIT_MODEL_CUTOFF_H
#define MEMKIT_MODEL_CUTOFF_H

#include <string>

namespace memkit {

class Trace;

/// `t.fb is cut off: it has the run up to 12 s`, for a trace whose recorder was
/// killed, a copy that is incomplete, and a trace that was merged of such; else
/// empty. A trace that is being recorded has no end yet, and is not cut off.
/// Needs the summary.
std::string cutOffText(const Trace &T);

} // namespace memkit

#endif // MEMKIT_MODEL_CUTOFF_H
