// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the traces to compare and judges their differences.

#ifndef MEMKIT_TOOLS_MEMDIFF_COMPARISON_H
#define MEMKIT_TOOLS_MEMDIFF_COMPARISON_H

#include "Cli/FailOn.h"
#include "memkit/Analysis/Query.h"

namespace memkit {

/// Opens the traces, two at a time, and prints their warnings.
llvm::Expected<std::vector<SelectedTrace>>
openTraces(llvm::ArrayRef<std::string> Inputs, const SelectionSpec &Spec);

/// Warns if a comparison is doubtful: different programs, a sampled heap
/// against a complete one, or different recording options.
void warnOfDifferences(const DiffRuns &Runs);

/// The conditions of --fail-on.
llvm::ArrayRef<MetricForms> diffConditions();

/// Whether a condition holds; if so, fills Why with the values. A condition
/// without a heap holds if any memory space meets it. A change between groups,
/// or between samples, must also be significant at Confidence; not for what
/// samples tell of a run (rss, used, ...). Errors: a condition that the traces
/// cannot answer; TraceError.
llvm::Expected<bool> holds(const Condition &C, const DiffRuns &Runs,
                           const DiffReport &R, double Confidence,
                           std::string &Why);

/// Names that conditions may use: the memory spaces and heaps of all traces.
std::vector<std::string> namesForGates(const DiffRuns &Runs);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDIFF_COMPARISON_H
