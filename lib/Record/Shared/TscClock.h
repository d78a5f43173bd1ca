// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processor's clock as time.
//
// Records carry the time stamp counter. This turns it into ns since the start
// of the recording by straight pieces between readings of both clocks, so that
// the result rises with the counter and stays within microseconds of
// CLOCK_MONOTONIC however long the recording is.

#ifndef MEMKIT_LIB_RECORD_TSCCLOCK_H
#define MEMKIT_LIB_RECORD_TSCCLOCK_H

#include "memkit/Trace/Sections.h"
#include <cstdint>

namespace memkit {

/// The counter that records carry.
uint64_t readTsc();
/// All three clocks at one moment (the tightest of a few tries).
ClockTriple readClocks();

class TscClock {
public:
  /// Measures the counter's rate for about a millisecond.
  static TscClock calibrated();
  /// A clock that starts at Start and runs at Hz, above 0.
  TscClock(const ClockTriple &Start, uint64_t Hz);

  const ClockTriple &start() const { return Start; }
  uint64_t hz() const { return Hz; }

  /// Ns since the start; 0 for counters before it. Never falls as Tsc rises and
  /// not over calls of adjust() either, for counters not before the last one
  /// given to adjust().
  uint64_t toNs(uint64_t Tsc) const {
    if (Tsc <= BaseTsc)
      return before(Tsc);
    return BaseNs +
           uint64_t((static_cast<unsigned __int128>(Tsc - BaseTsc) * Rate) >>
                    32);
  }

  /// Takes a later reading. From its counter on time runs so that it meets
  /// CLOCK_MONOTONIC about a second later.
  void adjust(const ClockTriple &Now);

private:
  uint64_t before(uint64_t Tsc) const;

  ClockTriple Start;
  uint64_t Hz;
  // The piece in force, and the one before it for records that come late.
  uint64_t BaseTsc, BaseNs, Rate; ///< Rate: ns << 32 per count
  uint64_t OldTsc, OldNs, OldRate;
  ClockTriple Last;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TSCCLOCK_H
