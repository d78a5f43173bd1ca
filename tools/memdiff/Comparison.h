// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The traces that are compared.

#ifndef MEMKIT_TOOLS_MEMDIFF_COMPARISON_H
#define MEMKIT_TOOLS_MEMDIFF_COMPARISON_H

#include "Cli/FailOn.h"
#include "memkit/Analysis/Query.h"

namespace memkit {

/// How many of All traces are the first group: those before the `--`, Before,
/// if there is one and something stands there; else one of two. A UsageError.
llvm::Expected<size_t> groupSize(size_t All, std::optional<size_t> Before);

/// Opens the traces, two at a time, and says their warnings.
llvm::Expected<std::vector<SelectedTrace>>
openTraces(llvm::ArrayRef<std::string> Inputs, const SelectionSpec &Spec);

/// Says what makes a comparison doubtful: other programs, samples against all,
/// other options of the recording.
void warnOfDifferences(const DiffRuns &Runs);

/// The conditions of --fail-on.
llvm::ArrayRef<FailMetric> diffConditions();

/// Whether a condition holds. Why, when it does, is filled with the values.
/// Without a heap it holds when it does for one memory space. A change of
/// groups, or of samples, must be one with some confidence, too.
bool holds(const FailCondition &C, const DiffRuns &Runs, const DiffReport &R,
           double Confidence, std::string &Why);

/// What conditions can be about: the memory spaces and heaps of any trace.
std::vector<std::string> namesForGates(const DiffRuns &Runs);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDIFF_COMPARISON_H
