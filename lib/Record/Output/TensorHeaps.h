// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heaps of PyTorch's devices.

#ifndef MEMKIT_LIB_RECORD_TENSORHEAPS_H
#define MEMKIT_LIB_RECORD_TENSORHEAPS_H

#include <cstdint>
#include <string>

namespace memkit {

/// A device as c10 has it: its type in the low byte, its index above it (int8,
/// -1: the one there is).
struct TensorHeaps {
  static constexpr uint8_t Cpu = 0, Cuda = 1;
  /// What c10 calls the device: `cpu`, `cuda:1`. A type that is not known here
  /// is `device31:0`.
  static std::string deviceName(uint16_t Device);
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TENSORHEAPS_H
