// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memstat's options.

#ifndef MEMKIT_TOOLS_MEMSTAT_OPTIONS_H
#define MEMKIT_TOOLS_MEMSTAT_OPTIONS_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace memkit {

enum class StatFormat { Text, Json, Markdown, Svg, Csv };
enum class BundleKind { None, Plain, Environment };

extern llvm::cl::list<std::string> Inputs;
extern std::string Input; ///< the trace, if there is one
extern llvm::cl::opt<std::string> Output;
extern llvm::cl::opt<StatFormat> OutputFormat;
extern llvm::cl::opt<unsigned> Top;
extern llvm::cl::list<std::string> Show;
extern llvm::cl::opt<bool> Timeline;
extern llvm::cl::opt<std::string> Source; ///< a file or function
extern llvm::cl::list<std::string> Groups;
extern llvm::cl::opt<BundleKind> Bundle;
extern llvm::cl::opt<bool> Explain;
extern llvm::cl::opt<bool> Redact, NoGrowth, Ascii;

/// Makes Markdown the format of --explain. Errors: UsageErrors of options that
/// contradict it.
llvm::Error applyExplain();
/// Shows the sections of --explain.
void showExplained();
/// Whether the output is the timeline alone.
bool isTimelineFormat();
/// Whether the trace is shown as it is without --show, --timeline and --bundle.
bool isPlainPage();
/// Errors: UsageErrors of options that contradict each other, and of names that
/// --show does not know. Input is known before.
llvm::Error checkOptions();

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSTAT_OPTIONS_H
