// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conditions of --fail-on, judged of a trace.

#ifndef MEMKIT_TOOLS_MEMSTAT_GATES_H
#define MEMKIT_TOOLS_MEMSTAT_GATES_H

#include "Cli/FailOn.h"
#include "Report/FirstScreen.h"

namespace memkit {

/// The conditions of samples, and memstat's own.
llvm::ArrayRef<MetricForms> gateConditions();

/// The exit status of a trace. Reads marks only if a condition asks for what
/// samples tell. Errors: a condition that the trace cannot answer; TraceError.
llvm::Expected<int> gateStatus(const FailOn &Fatal, const PageInput &F,
                               const SelectedStats &S);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSTAT_GATES_H
