// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memdiff says about two groups of runs.
//
// memdiff prints the sentences and memview shows them: the same words from one
// place.

#ifndef MEMKIT_LIB_REPORT_DIFFSENTENCES_H
#define MEMKIT_LIB_REPORT_DIFFSENTENCES_H

#include "Report/DiffView.h"
#include "memkit/Analysis/Diff.h"

namespace memkit {

/// A value, and a change, in bytes or allocations.
std::string valueText(uint64_t Value, bool Bytes);
std::string changeText(int64_t Change, bool Bytes);
std::string changeText(double Change, bool Bytes);
/// `+3 KiB`; for groups `+3 KiB (+1 KiB to +5 KiB)`, for estimates `+3 KiB ±1`.
std::string changeText(const DiffView &V, uint64_t Before, uint64_t After,
                       bool Bytes, const std::optional<ConfidenceInterval> &I,
                       double Variance);
/// `+4.2 %`, `0 %`, `new`, `x40`.
std::string shareText(uint64_t Before, uint64_t After);
/// The prefix for the names of a memory space's totals: empty if the only space
/// is the host, or if heaps of one space were chosen.
std::string spacePrefix(const DiffView &V, const SpaceChange &S);

/// A total of a memory space, as text.
struct TotalRow {
  std::string Name, Before, After, Change;
  std::string Share; ///< the change in percent
};
/// Peak, live at end, allocated, allocations, ... of each memory space.
std::vector<TotalRow> totalRows(const DiffView &V);

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
