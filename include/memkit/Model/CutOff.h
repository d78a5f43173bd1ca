// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a trace lacks its run, or the end of it.

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

/// Why the trace cannot answer for its program: as cutOffText(), or `t.fb has
/// nothing of server: it is statically linked`, for a program that was not
/// recorded, and for a recording that was to begin later and never did; else
/// empty.
std::string cannotAnswerText(const Trace &T);

} // namespace memkit

#endif // MEMKIT_MODEL_CUTOFF_H
