// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences as text, JSON and Markdown.

#ifndef MEMKIT_TOOLS_MEMDIFF_DIFFPRINTER_H
#define MEMKIT_TOOLS_MEMDIFF_DIFFPRINTER_H

#include "memkit/Analysis/Diff.h"

namespace memkit {

/// The runs and what they differ by.
struct DiffView {
  const DiffRuns &Runs;
  const DiffReport &Report;
  Metric By;       ///< what orders
  bool IsAtMoment; ///< all values are of what lives at one
  uint64_t Max;    ///< how many findings or differences; 0: all above the noise
  bool WithMoves;  ///< what is at another place now is told, too
  double Confidence;
  llvm::StringRef NameBefore, NameAfter; ///< of the groups
  /// The conditions that hold, for people.
  llvm::ArrayRef<std::string> Failed;
};

/// For people.
void printDiff(llvm::raw_ostream &OS, const DiffView &V);
/// The machine interface: docs/CommandGuide/memdiff.md.
void writeDiffJson(llvm::raw_ostream &OS, const DiffView &V);
/// A comment on a change, in GitHub's Markdown.
void writeDiffMarkdown(llvm::raw_ostream &OS, const DiffView &V);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDIFF_DIFFPRINTER_H
