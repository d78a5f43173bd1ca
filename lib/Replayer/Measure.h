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

/// The time of calls, in ticks of the processor's clock. A look at the clock
/// takes as long as a small request, so after the first calls one in four small
/// ones is timed, by chance, and counts for four. Larger requests now and then
/// take a thousand times as long, so each of them is timed.
class CallClock {
public:
  /// Measures how long begin() and end() themselves take.
  void start();
  /// Bytes: of the request. The result is for end().
  uint64_t begin(uint64_t Bytes) {
    constexpr uint64_t Small = 1024, First = 1 << 16;
    IsDrawn = Bytes < Small && Always.NumCalls >= First;
    if (!IsDrawn)
      return __rdtsc();
    Random = Random * 6364136223846793005 + 1442695040888963407;
    return Random >> 62 ? 0 : __rdtsc();
  }
  void end(uint64_t Begun) {
    TimedCalls &Of = IsDrawn ? Drawn : Always;
    ++Of.NumCalls;
    if (!Begun)
      return;
    Of.Ticks += __rdtsc() - Begun;
    ++Of.NumTimed;
  }
  uint64_t calls() const { return Always.NumCalls + Drawn.NumCalls; }
  /// All calls, in nanoseconds. Needs at least some time after start().
  uint64_t nanoseconds() const;

private:
  struct TimedCalls {
    uint64_t NumCalls = 0, NumTimed = 0, Ticks = 0;
    /// Of all calls.
    double ticks(uint64_t OwnTicks) const;
  };
  TimedCalls Always, Drawn;
  bool IsDrawn = false;
  uint64_t Random = 1;
  uint64_t OwnTicks = 0; ///< of one call of begin() and end()
  uint64_t StartTicks = 0, StartNs = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_REPLAYER_MEASURE_H
