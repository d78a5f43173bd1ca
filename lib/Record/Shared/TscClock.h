// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the processor's clock to time.
//
// Records carry the time stamp counter. TscClock converts the counter to ns
// since the start of the recording, by straight pieces between readings of both
// clocks. The result rises with the counter, and stays within microseconds of
// CLOCK_MONOTONIC in a recording of any length.

#ifndef MEMKIT_LIB_RECORD_TSCCLOCK_H
#define MEMKIT_LIB_RECORD_TSCCLOCK_H

#include "memkit/Trace/Sections.h"
#include <cstdint>

namespace memkit {

/// The counter that records carry.
uint64_t readTsc();
/// All three clocks at one time point: the tightest of five tries.
ClockTriple readClocks();

class TscClock {
public:
  /// Measures the counter's rate for about two milliseconds.
  static TscClock calibrated();
  /// A clock that starts at Start and runs at Hz, above 0.
  TscClock(const ClockTriple &Start, uint64_t Hz);

  const ClockTriple &start() const { return Start; }
  uint64_t hz() const { return Hz; }

  /// Ns since the start; 0 for counters before the start. Never falls as Tsc
  /// rises; nor across calls of adjust(), for counters from the last adjust()
  /// on.
  uint64_t toNs(uint64_t Tsc) const {
    if (Tsc <= BaseTsc)
      return before(Tsc);
    return BaseNs +
           uint64_t((static_cast<unsigned __int128>(Tsc - BaseTsc) * Rate) >>
                    32);
  }

  /// Takes a later reading. From its counter on, the rate is such that time
  /// meets CLOCK_MONOTONIC about a second later.
  void adjust(const ClockTriple &Now);

private:
  uint64_t before(uint64_t Tsc) const;

  ClockTriple Start;
  uint64_t Hz;
  // The current piece, and the piece before for late records.
  uint64_t BaseTsc, BaseNs, Rate; ///< Rate: ns << 32 per count
  uint64_t OldTsc, OldNs, OldRate;
  ClockTriple Last;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TSCCLOCK_H
