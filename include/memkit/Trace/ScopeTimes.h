// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When threads enter and leave scopes.
//
// A part of Sections.h, which has the units. docs/TraceFormat.md says how exact
// the times are.

#ifndef MEMKIT_TRACE_SCOPETIMES_H
#define MEMKIT_TRACE_SCOPETIMES_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace memkit {

/// A gap between two changes as a byte: the low three bits are the mantissa,
/// the high bits the exponent. Gaps of less than 16 units of TimeUnitNs are
/// exact, larger gaps to a sixteenth.
struct ScopeGap {
  static constexpr uint64_t decode(uint8_t Code) {
    uint64_t Mantissa = Code % 8, Exponent = Code / 8;
    return Exponent ? (8 + Mantissa) << (Exponent - 1) : Mantissa;
  }
  /// The nearest gap; the longest for all longer ones.
  static constexpr uint8_t encode(uint64_t Units) {
    if (Units < 16)
      return uint8_t(Units);
    if (Units >= decode(255))
      return 255;
    unsigned Shift = unsigned(std::bit_width(Units)) - 4;
    // A mantissa that is rounded up to 16 carries into the exponent.
    return uint8_t(8 * Shift +
                   ((Units + (uint64_t(1) << Shift >> 1)) >> Shift));
  }
};

/// The changes of a thread, in order of time: from each change on, the thread
/// is in the change's scope path. Both lists have the same length.
struct ThreadScopes {
  uint32_t Thread = 0;
  uint64_t FirstNs = 0;      ///< from which the gaps count; of TimeUnitNs
  std::vector<uint8_t> Gaps; ///< ScopeGap, since the change before
  std::vector<uint32_t> ScopePaths; ///< 0: outside of all scopes
  bool operator==(const ThreadScopes &) const = default;

  size_t size() const { return Gaps.size(); }
};

/// Changes of the threads of a process. A section has at most MaxSectionRows
/// changes, and each thread has some. No change of a section precedes a change
/// of an earlier section of the process.
struct ScopeTimes {
  uint32_t Process = 0;
  std::vector<ThreadScopes> Threads;
  bool operator==(const ScopeTimes &) const = default;

  size_t numChanges() const {
    size_t Sum = 0;
    for (const ThreadScopes &T : Threads)
      Sum += T.size();
    return Sum;
  }
};

/// A change, with its thread.
struct ScopeChange {
  uint64_t TimeNs = 0;
  uint32_t Thread = 0;
  uint32_t ScopePath = 0;
  bool operator==(const ScopeChange &) const = default;
};
/// The changes of T in order of time.
std::vector<ScopeChange> changesOf(const ThreadScopes &T);
/// The changes of all threads, in order of time; changes at the same time in
/// the order of threads.
std::vector<ScopeChange> changesOf(const ScopeTimes &S);

/// Adds changes of a thread to a ThreadScopes, whose gaps round: the next gap
/// counts from the rounded time, so that errors do not add up.
class ScopeTimesAdder {
public:
  /// TimeNs: not before the change before. Of is the same in all calls for a
  /// thread, and empty at the first.
  void add(ThreadScopes &Of, uint64_t TimeNs, uint32_t ScopePath);

private:
  uint64_t Ticks = 0; ///< of the last change, as rounded
};

} // namespace memkit

#endif // MEMKIT_TRACE_SCOPETIMES_H
