// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heaps of tensors.

#ifndef MEMKIT_LIB_RECORD_TENSORHEAPS_H
#define MEMKIT_LIB_RECORD_TENSORHEAPS_H

#include "Wire/Layout.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace memkit {

/// A device as c10 numbers it: the type in the low byte, the index (int8) in
/// the high byte; index -1: the only device of the type.
struct TensorHeaps {
  static constexpr uint8_t Cpu = 0, Cuda = 1;
  /// c10's name of the device: `cpu`, `cuda:1`. An unknown type: `device31:0`.
  static std::string deviceName(uint16_t Device);
  /// The device of such a name; none: c10 knows no such type.
  static std::optional<uint16_t> deviceNamed(llvm::StringRef Name);
  /// What precedes a device in the name of a heap: `torch.`, `tf.`.
  static std::string prefix(wire::TensorFramework Of) {
    return wire::FrameworkPrefixes[size_t(Of)];
  }
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TENSORHEAPS_H
