// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A synthetic program, block by block.

#ifndef MEMKIT_UTILS_GENGROWTH_PROGRAM_H
#define MEMKIT_UTILS_GENGROWTH_PROGRAM_H

#include "memkit/Trace/TraceWriter.h"
#include <limits>
#include <string>
#include <vector>

namespace memkit::gengrowth {

inline constexpr double Never = std::numeric_limits<double>::infinity();

/// Times count steps from the first step, or, in a program without steps,
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

/// The allocations of a program, and the truth about them.
struct Program {
  std::string Name;
  bool HasSteps = true;
  double Length = 120;       ///< end of the program
  double ShutdownAt = Never; ///< from this time on the program frees everything
  uint64_t SampleBytes = 0;  ///< sampling interval of --sample
  std::vector<Site> Sites;
  std::vector<MadeBlock> Blocks;
  double Rate = 0; ///< leaked bytes for each step or tenth; 0: irregular
  /// Live bytes at the end of each step or tenth.
  std::vector<double> level(bool OfLeaks) const;
};

/// Writes the trace of P as a recorder would, with stats from LiveStats:
/// intervals, lifetimes and summary. WithEvents adds events and marks.
llvm::Error writeProgram(const Program &P, Sink &Out, bool WithEvents);

} // namespace memkit::gengrowth

#endif // MEMKIT_UTILS_GENGROWTH_PROGRAM_H
