// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memflame's options.

#ifndef MEMKIT_TOOLS_MEMFLAME_OPTIONS_H
#define MEMKIT_TOOLS_MEMFLAME_OPTIONS_H

#include "memkit/Model/Profile.h"
#include "memkit/Model/ScopeView.h"
#include "llvm/Support/CommandLine.h"

namespace memkit {

enum class FlameFormat {
  Speedscope,
  Collapsed,
  Pprof,
  Perfetto,
  Csv,
  Html,
  Svg,
  Firefox
};

extern llvm::cl::list<std::string> Inputs;
extern llvm::cl::opt<std::string> Output, MaxAge;
extern llvm::cl::opt<FlameFormat> OutputFormat;
extern llvm::cl::list<Metric> Metrics;
extern llvm::cl::opt<GroupBy> Grouping;
extern llvm::cl::opt<bool> Full, TimeOrder, OverTime, Invert, MergeRecursion,
    OpenPage;
extern llvm::cl::list<std::string> StripPrefixes;

/// Whether the grouping is of stacks alone, not of scopes or of pairs.
bool isOfStacks(GroupBy By);

/// Checks the options against each other (UsageError). Sets the format that
/// --open implies.
llvm::Error checkOptions();

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMFLAME_OPTIONS_H
