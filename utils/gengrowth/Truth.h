// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The right words for the growth of a made program.
//
// A leak has evidence if the program repeats itself while the leak grows:
// - by steps: at least 6 steps;
// - by rounds of the clock: in at least 6 rounds the cause kept at most a tenth
//   of the bytes allocated in the round, and the other live bytes came back to
//   their level;
// - by bursts: at least 4 bursts with quiet times between them, and the cause
//   kept at most a tenth of all bytes allocated from the first to the last.
// A container has no evidence. Programs near a limit count as unclear.

#ifndef MEMKIT_UTILS_GENGROWTH_TRUTH_H
#define MEMKIT_UTILS_GENGROWTH_TRUTH_H

#include "Program.h"

namespace memkit::gengrowth {

/// What a kind of program is.
enum class Nature {
  Clean,
  Load,
  Fills, ///< a cache that would be full only after the run
  Leaks,
};

/// What memleak should say of a program.
enum class Truth {
  Clean,   ///< Leak is wrong
  Load,    ///< Leak is wrong
  Leaks,   ///< Leak is right
  Unclear, ///< Leak and Grows are right
};

/// The growth of a process: its blocks that stay.
struct MadeGrowth {
  double From = 0, To = 0; ///< the births of the first and the last block
  double Kept = 0;         ///< bytes
  double Allocated = 0;    ///< by all sites from From to To, in bytes
  size_t Blocks = 0;
  double ratio() const { return Allocated > 0 ? Kept / Allocated : 0; }
};

MadeGrowth growthOf(const Program &P, uint32_t Process);

/// Whether the growth of a process is at least three times the deviation of the
/// process's other live bytes.
bool isClear(const Program &P);

Truth truthOf(Nature Is, const Program &P);

} // namespace memkit::gengrowth

#endif // MEMKIT_UTILS_GENGROWTH_TRUTH_H
