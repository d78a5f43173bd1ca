// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers that are equal on every machine.

#ifndef MEMKIT_UTILS_GENTRACE_RANDOM_H
#define MEMKIT_UTILS_GENTRACE_RANDOM_H

#include <cstdint>

namespace memkit::gentrace {

/// SplitMix64, because the distributions of <random> differ between libraries.
class Random {
public:
  explicit Random(uint64_t Seed) : State(Seed) {}

  uint64_t next() {
    uint64_t Z = State += 0x9E3779B97F4A7C15u;
    Z = (Z ^ (Z >> 30)) * 0xBF58476D1CE4E5B9u;
    Z = (Z ^ (Z >> 27)) * 0x94D049BB133111EBu;
    return Z ^ (Z >> 31);
  }
  /// Uniform in 0..Below-1; Below must not be 0.
  uint64_t below(uint64_t Below) {
    return static_cast<uint64_t>(
        (static_cast<unsigned __int128>(next()) * Below) >> 64);
  }
  bool oneIn(uint64_t N) { return below(N) == 0; }
  /// In 0..Below-1, small numbers far more often: each halving of the range has
  /// the same probability.
  uint64_t skewed(uint64_t Below) {
    unsigned Bits = 64 - __builtin_clzll(Below | 1);
    return below(Below) >> below(Bits);
  }

private:
  uint64_t State;
};

} // namespace memkit::gentrace

#endif // MEMKIT_UTILS_GENTRACE_RANDOM_H
