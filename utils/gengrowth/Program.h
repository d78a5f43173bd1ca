// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A made-up program, block by block.

#ifndef MEMKIT_UTILS_GENGROWTH_PROGRAM_H
#define MEMKIT_UTILS_GENGROWTH_PROGRAM_H

#include "memkit/Trace/TraceWriter.h"
#include <limits>
#include <string>
#include <vector>

namespace memkit::gengrowth {

inline constexpr double Never = std::numeric_limits<double>::infinity();

/// Times are in steps from the first one, or, of a program without steps, in
/// tenths of a second.
struct MadeBlock {
  double Birth = 0; ///< below 0: before the first step
  double Death = Never;
  uint32_t Site = 0;
  uint64_t Size = 0;
};

/// A place that allocates: main > Group > Name > malloc.
struct Site {
  std::string Group, Name;
  bool Leaks = false;
};

/// All that a program allocates, and what is true of it.
struct Program {
  std::string Name;
  bool HasSteps = true;
  double Length = 120;       ///< the program ends then
  double ShutdownAt = Never; ///< from here on it frees all that it has
  uint64_t SampleBytes = 0;  ///< recorded with --sample
  std::vector<Site> Sites;
  std::vector<MadeBlock> Blocks;
  double Rate = 0; ///< bytes that leak for each step or tenth; 0: not even
  /// What lives at the end of each step or tenth.
  std::vector<double> level(bool OfLeaks) const;
};

/// Writes the trace of P as a recorder would, by the accounts of one:
/// intervals, lifetimes and summary, and with WithEvents events and marks, too.
llvm::Error writeProgram(const Program &P, Sink &Out, bool WithEvents);

} // namespace memkit::gengrowth

#endif // MEMKIT_UTILS_GENGROWTH_PROGRAM_H
