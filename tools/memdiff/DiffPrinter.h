// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences as text, JSON and Markdown.

#ifndef MEMKIT_TOOLS_MEMDIFF_DIFFPRINTER_H
#define MEMKIT_TOOLS_MEMDIFF_DIFFPRINTER_H

#include "memkit/Analysis/Diff.h"

namespace memkit {

/// The runs and their differences.
struct DiffView {
  const DiffRuns &Runs;
  const DiffReport &Report;
  Metric By;          ///< the metric that orders findings
  bool IsAtTimePoint; ///< all values are of the blocks live at one time point
  uint64_t Max;  ///< maximum of findings or differences; 0: all above the noise
  bool MaxGiven; ///< Max was asked for
  bool Uncertain; ///< also show changes within the variation of runs
  bool WithMoves; ///< also print blocks that moved to another place
  double Confidence;
  llvm::StringRef NameBefore, NameAfter; ///< names of the groups
  /// The conditions that hold, as text.
  llvm::ArrayRef<std::string> Failed;
};

/// Prints the answer for people: what changed, by line of the user's code.
void printShort(llvm::raw_ostream &OS, const DiffView &V);
/// Prints every change with its stack.
void printDiff(llvm::raw_ostream &OS, const DiffView &V);
/// Writes the machine interface: docs/CommandGuide/memdiff.md.
void writeDiffJson(llvm::raw_ostream &OS, const DiffView &V);
/// Writes a comment for a pull request, in GitHub's Markdown.
void writeDiffMarkdown(llvm::raw_ostream &OS, const DiffView &V);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDIFF_DIFFPRINTER_H
