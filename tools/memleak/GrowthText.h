// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What grows, for people.

#ifndef MEMKIT_TOOLS_MEMLEAK_GROWTHTEXT_H
#define MEMKIT_TOOLS_MEMLEAK_GROWTHTEXT_H

#include "LeakPrinter.h"

namespace memkit {

/// `1 block`, `2 blocks`.
std::string plural(uint64_t Count, llvm::StringRef What);
/// ` of train.py (#2)` where the trace has several processes, else nothing.
std::string processText(const Trace &T, uint32_t Process);
/// The findings of a kind that are shown, each with its stack.
void printFindings(llvm::raw_ostream &OS, const LeakView &V, LeakKinds Kind);

/// The first line of a growth finding.
std::string growthTitle(const LeakView &V, const LeakFinding &F);
/// Its interval, p-value and course.
std::string growthEvidence(const LeakView &V, const LeakFinding &F);
/// How much of its heap it is, and whether it was freed at exit.
std::string growthOutcome(const LeakView &V, const Growth &G);
/// The section on growth.
void printGrowth(llvm::raw_ostream &OS, const LeakView &V);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMLEAK_GROWTHTEXT_H
