// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the memory and the time of this process, without an allocation.

#ifndef MEMKIT_LIB_REPLAYER_MEASURE_H
#define MEMKIT_LIB_REPLAYER_MEASURE_H

#include <cstddef>
#include <cstdint>
#include <x86intrin.h>

namespace memkit {

/// Private resident memory, in bytes. 0: not known.
class ResidentMeter {
public:
  /// Opens the files of /proc.
  void open();
  /// Takes a microsecond; may be wrong by some pages for each processor.
  uint64_t estimate() const;
  /// Exact; looks at each page.
  uint64_t measure() const;

private:
  int Statm = -1, Rollup = -1;
};

/// The time of calls, in ticks of the processor's clock.
class CallClock {
public:
  /// Measures how long begin() and end() themselves take.
  void start();
  uint64_t begin() const { return __rdtsc(); }
  void end(uint64_t Begun) {
    Ticks += __rdtsc() - Begun;
    ++NumCalls;
  }
  uint64_t calls() const { return NumCalls; }
  /// All calls, in nanoseconds. Needs at least some time after start().
  uint64_t nanoseconds() const;

private:
  uint64_t Ticks = 0, NumCalls = 0;
  uint64_t OwnTicks = 0; ///< of one call of begin() and end()
  uint64_t StartTicks = 0, StartNs = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_REPLAYER_MEASURE_H
