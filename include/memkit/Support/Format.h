// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes, times and counts, in and out.

#ifndef MEMKIT_SUPPORT_FORMAT_H
#define MEMKIT_SUPPORT_FORMAT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace memkit {

/// Bytes for people: `0 B`, `1023 B`, `1.5 GiB`; three digits at the least
/// where there is a fraction to show.
std::string formatSize(uint64_t Bytes);
/// Of millionths: `80.1 %`.
std::string formatShare(uint32_t Millionths);
/// `44.7 %` of Total; `<0.1 %` for a smaller share that is not 0.
std::string formatShare(uint64_t Part, uint64_t Total);
/// As formatSize with a sign, `+1.5 GiB`, `-3 B`, `0 B`.
std::string formatSizeChange(int64_t Bytes);
/// Bytes of which only an estimate is known, with its standard error:
/// `12.3 MiB ±0.4`, or as formatSize when that is 0.
std::string formatEstimate(uint64_t Bytes, uint64_t StandardError);
/// Nanoseconds for people: `850 ns`, `12.3 ms`, `4.56 s`, `2m 03s`, `1h 02m`.
std::string formatTime(uint64_t Ns);
/// With a comma after each three digits: `12,345`.
std::string formatCount(uint64_t Count);
/// As formatCount with a sign.
std::string formatCountChange(int64_t Count);
/// `3 steps`, `1 step`.
std::string plural(uint64_t Count, llvm::StringRef What);

/// Reads `4096`, `64K`, `1.5 GiB`, `10MB`: K, M, G, T, P and Ki.. are powers of
/// 1024, KB, MB.. of 1000. The error names Text and what would be right.
llvm::Expected<uint64_t> parseSize(llvm::StringRef Text);
/// Reads `250ns`, `10us`, `1.5ms`, `30s`, `2m`, `1h`; a bare number is seconds.
llvm::Expected<uint64_t> parseTime(llvm::StringRef Text);

/// A bound that is either bytes or a part of some whole.
struct Threshold {
  bool IsFraction = false;
  double Fraction = 0; ///< 0 to 1
  uint64_t Bytes = 0;
  /// The bound in bytes where the whole is Total.
  uint64_t bytesOf(uint64_t Total) const;
};
/// Reads `1%`, `0.5%` or a size.
llvm::Expected<Threshold> parseThreshold(llvm::StringRef Text);

} // namespace memkit

#endif // MEMKIT_SUPPORT_FORMAT_H
