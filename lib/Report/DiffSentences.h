// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memdiff says about two groups of runs.
//
// memdiff prints the sentences and memview shows them: the same words from one
// place.

#ifndef MEMKIT_LIB_REPORT_DIFFSENTENCES_H
#define MEMKIT_LIB_REPORT_DIFFSENTENCES_H

#include "Report/DiffTotals.h"
#include "memkit/Analysis/Diff.h"

namespace memkit {

/// `train.py: peak +35 MiB (+10.2 %), 343 MiB -> 378 MiB`
std::string verdictLine(const DiffView &V);
/// Growth, changes of steps, layers and tensors, and what was suppressed.
std::vector<std::string> detailLines(const DiffView &V);
/// Whether a line of detailLines() needs a look: new or faster growth.
bool needsLook(llvm::StringRef DetailLine);
/// Losses, one line for each run.
std::vector<std::string> lossLines(const DiffView &V);
/// Why a comparison is doubtful: different programs, a sampled heap against a
/// complete one, different recording options or versions.
std::vector<std::string> doubtLines(const DiffRuns &Runs);

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_DIFFSENTENCES_H
