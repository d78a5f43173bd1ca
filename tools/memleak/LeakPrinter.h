// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memleak found, as it is written.

#ifndef MEMKIT_TOOLS_MEMLEAK_LEAKPRINTER_H
#define MEMKIT_TOOLS_MEMLEAK_LEAKPRINTER_H

#include "memkit/Analysis/Query.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// What is written.
struct LeakView {
  const Trace &T;
  const LeakFindings &R;
  unsigned Kinds = FK_Exit; ///< that were looked for
  uint64_t Max = 0;         ///< findings of each kind; 0: all
  /// The moment of kind exit, as it was asked for; empty for the end.
  llvm::StringRef At = {};

  /// The findings of a kind that are shown.
  llvm::ArrayRef<LeakFinding> shown(LeakKinds Kind) const;
  /// How many there are.
  size_t count(LeakKinds Kind) const;
};

/// `exit`, `growth`, `outlier`.
llvm::StringRef kindName(LeakKinds Kind);
/// The first line of a finding in text.
std::string titleOf(const LeakView &V, const LeakFinding &F);
/// The frames of a finding, innermost first.
std::vector<ShownFrame> framesOf(const LeakView &V, const LeakFinding &F);
/// Why it is one, in a line; empty for kind exit.
std::string evidenceOf(const LeakView &V, const LeakFinding &F);
/// `1.2 MiB`, of a rate too.
std::string rateText(double Bytes);

/// For people.
void printLeaks(llvm::raw_ostream &OS, const LeakView &V);
/// The machine interface: docs/CommandGuide/memleak.md.
void writeLeakJson(llvm::raw_ostream &OS, const LeakView &V);
/// SARIF 2.1.0.
void writeLeakSarif(llvm::raw_ostream &OS, const LeakView &V);
/// Collapsed stacks with the bytes of the findings, of those that grow what
/// they grow by.
void writeLeakCollapsed(llvm::raw_ostream &OS, const LeakView &V);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMLEAK_LEAKPRINTER_H
