// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heaps of PyTorch's devices.

#ifndef MEMKIT_LIB_RECORD_TENSORHEAPS_H
#define MEMKIT_LIB_RECORD_TENSORHEAPS_H

#include <cstdint>
#include <string>

namespace memkit {

/// A device as c10 numbers it: the type in the low byte, the index (int8) in
/// the high byte; index -1: the only device of the type.
struct TensorHeaps {
  static constexpr uint8_t Cpu = 0, Cuda = 1;
  /// c10's name of the device: `cpu`, `cuda:1`. An unknown type: `device31:0`.
  static std::string deviceName(uint16_t Device);
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TENSORHEAPS_H
