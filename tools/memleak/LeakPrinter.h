// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints memleak's findings in each format.

#ifndef MEMKIT_TOOLS_MEMLEAK_LEAKPRINTER_H
#define MEMKIT_TOOLS_MEMLEAK_LEAKPRINTER_H

#include "memkit/Analysis/Query.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// The input of all printers.
struct LeakView {
  const Trace &T;
  const SelectedStats &S;
  const LeakFindings &R;
  unsigned Kinds = FK_Exit; ///< the kinds of findings that were asked for
  uint64_t Max = 0;         ///< maximum of findings of each kind; 0: all
  bool MaxGiven = false;    ///< the user chose Max
  unsigned Width = 0;       ///< of text output, columns; 0: any
  /// The time point for kind exit, as the user wrote it; empty: the end.
  llvm::StringRef At = {};
  const Places *Where = nullptr; ///< of T; only for printShort()

  /// The findings of a kind to show.
  llvm::ArrayRef<LeakFinding> shown(LeakKinds Kind) const;
  /// The number of findings of a kind.
  size_t count(LeakKinds Kind) const;
};

/// `exit`, `growth`, `outlier`.
llvm::StringRef kindName(LeakKinds Kind);
/// The first line of a finding in text.
std::string titleOf(const LeakView &V, const LeakFinding &F);
/// The frames of a finding, innermost first.
std::vector<ShownFrame> framesOf(const LeakView &V, const LeakFinding &F);
/// The evidence for a finding, in one line; empty for kind exit.
std::string evidenceOf(const LeakView &V, const LeakFinding &F);
/// `1.2 MiB`, for sizes and rates.
std::string rateText(double Bytes);

/// Prints the answer: one finding for each of the user's lines.
void printShort(llvm::raw_ostream &OS, const LeakView &V);
/// The same as a list of Markdown. V.Width: 0.
void printShortMarkdown(llvm::raw_ostream &OS, const LeakView &V);
/// What an imported trace cannot tell, and why; empty: it can tell all.
std::string unknownText(const LeakView &V);

/// Prints all findings with their stacks and statistics.
void printLeaks(llvm::raw_ostream &OS, const LeakView &V);
/// Writes the machine interface: docs/CommandGuide/memleak.md.
void writeLeakJson(llvm::raw_ostream &OS, const LeakView &V);
/// Writes SARIF 2.1.0.
void writeLeakSarif(llvm::raw_ostream &OS, const LeakView &V);
/// Writes collapsed stacks with the bytes of each finding; for growth, the
/// bytes by which the stack grows.
void writeLeakCollapsed(llvm::raw_ostream &OS, const LeakView &V);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMLEAK_LEAKPRINTER_H
