// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings of growth, for people.

#ifndef MEMKIT_TOOLS_MEMLEAK_GROWTHTEXT_H
#define MEMKIT_TOOLS_MEMLEAK_GROWTHTEXT_H

#include "LeakPrinter.h"
#include "Report/FirstScreen.h"
#include "Report/GrowthSentences.h"

namespace memkit {

/// ` of train.py (#2)` if the trace has several processes, else empty.
std::string processText(const Trace &T, uint32_t Process);
/// Prints the shown findings of a kind, each with its stack.
void printFindings(llvm::raw_ostream &OS, const LeakView &V, LeakKinds Kind);

/// The first line of a growth finding.
std::string growthTitle(const LeakView &V, const LeakFinding &F);
/// The confidence interval, p-value and course of a growth finding.
std::string growthEvidence(const LeakView &V, const LeakFinding &F);
/// The growth of the whole heap, and whether the process freed the memory at
/// exit.
std::string growthOutcome(const LeakView &V, const Growth &G);
/// Prints the section on growth.
void printGrowth(llvm::raw_ostream &OS, const LeakView &V);

/// What an analysis of growth would not have seen: `; sampled: ...`.
std::string notSeenText(const Trace &T, const GrowthReport &G);
/// `host.file grows, outside of the totals: +7.1 MiB per second, ...`.
std::string outsideText(const Trace &T, const OutsideRise &O);
/// Prints what suppressions and a baseline hid, in a line each.
void printHiddenShort(llvm::raw_ostream &OS, const LeakView &V);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMLEAK_GROWTHTEXT_H
