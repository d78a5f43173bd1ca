// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The distance to the next sampled byte.
//
// Every allocated byte is a sample with the same chance, 1 in Mean: the
// distances between samples are exponentially distributed. The computation uses
// integers: a program may have enabled floating-point traps, and libm may be
// absent.

#ifndef MEMKIT_CAPTURE_HOST_SAMPLEGAP_H
#define MEMKIT_CAPTURE_HOST_SAMPLEGAP_H

#include <cstdint>

namespace memkit::capture {

/// A generator of random numbers (SplitMix64), with a state of one word.
class SampleRandom {
public:
  void seed(uint64_t Seed) { State = Seed; }
  uint64_t next() { return mix(State += 0x9e3779b97f4a7c15ull); }

  /// Maps numbers near each other to numbers far apart.
  static constexpr uint64_t mix(uint64_t X) {
    X = (X ^ (X >> 30)) * 0xbf58476d1ce4e5b9ull;
    X = (X ^ (X >> 27)) * 0x94d049bb133111ebull;
    return X ^ (X >> 31);
  }

private:
  uint64_t State;
};

namespace detail {

inline constexpr unsigned LogBits = 8;

/// log2 of 1 + I / 256, in units of 2^-32.
struct LogTable {
  uint64_t Of[(1 << LogBits) + 1] = {};

  constexpr LogTable() {
    for (unsigned I = 0; I <= 1u << LogBits; ++I) {
      double X = 1 + double(I) / (1 << LogBits);
      uint64_t Log = 0;
      // One bit of the logarithm for each squaring.
      for (unsigned Bit = 0; Bit <= 33; ++Bit) {
        Log *= 2;
        if (X >= 2) {
          X /= 2;
          Log += 1;
        }
        X *= X;
      }
      Of[I] = (Log + 1) / 2;
    }
  }
};
inline constexpr LogTable Logs;

} // namespace detail

/// The bytes to the next sample, at least 1, Mean on average, for a random
/// number. P(gap > s) is exp(-s / Mean), to 3e-6. Mean is at most 2^40.
inline uint64_t sampleGap(uint64_t Random, uint64_t Mean) {
  using namespace detail;
  uint64_t X = Random | 1;
  unsigned Zeros = unsigned(__builtin_clzll(X));
  X <<= Zeros; // the leading one is bit 63
  unsigned At = unsigned(X >> (63 - LogBits)) & ((1u << LogBits) - 1);
  uint64_t Part = X << (1 + LogBits) >> 32;
  uint64_t Step = Logs.Of[At + 1] - Logs.Of[At];
  uint64_t Log =
      (uint64_t(63 - Zeros) << 32) + Logs.Of[At] + (Step * Part >> 32);
  constexpr uint64_t Ln2 = 0xb17217f8; // in units of 2^-32
  using Uint128 = unsigned __int128;
  uint64_t Nats = uint64_t(Uint128((64ull << 32) - Log) * Ln2 >> 32);
  return uint64_t(Uint128(Nats) * Mean >> 32) + 1;
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_SAMPLEGAP_H
