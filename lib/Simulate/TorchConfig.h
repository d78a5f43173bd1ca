// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings of PyTorch's caching allocator of device memory.

#ifndef MEMKIT_LIB_SIMULATE_TORCHCONFIG_H
#define MEMKIT_LIB_SIMULATE_TORCHCONFIG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <string>

namespace memkit {

/// What PYTORCH_ALLOC_CONF (PYTORCH_CUDA_ALLOC_CONF) of PyTorch 2.13 sets for
/// memory on devices. Sizes are bytes.
struct TorchConfig {
  static constexpr uint64_t NoLimit = UINT64_MAX;
  static constexpr uint64_t MiB = 1 << 20; ///< the unit of settings
  /// The intervals of roundup_power2_divisions: 1 MiB, 2 MiB, ... 32 GiB.
  static constexpr unsigned NumIntervals = 16;

  uint64_t LargeSegment = 20 << 20;
  uint64_t MaxSplit = NoLimit;
  uint64_t MaxNonSplitRounding = 20 << 20;
  /// For sizes from 2^(20 + index); 0, 1: none. The first is also for smaller
  /// sizes, the last for larger sizes. Powers of two.
  std::array<uint64_t, NumIntervals> Divisions{};
  double GcThreshold = 0; ///< 0: no garbage collection
  /// The part of the device that the process may take. PyTorch collects garbage
  /// only where this is below 1.
  double MemoryFraction = 1;
  bool Expandable = false;
  bool operator==(const TorchConfig &) const = default;

  /// Reads Text, as PyTorch reads the variable: `max_split_size_mb:128,
  /// expandable_segments:True`. Settings of pinned memory and of locks have no
  /// influence on the device's memory and are skipped. Errors: an unknown name,
  /// a value out of range, another backend; the text names none of its source.
  static llvm::Expected<TorchConfig> parse(llvm::StringRef Text);
  /// The text that sets this, without the defaults; empty: all are defaults.
  std::string text() const;
};

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_TORCHCONFIG_H
