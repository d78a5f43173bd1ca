// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frameworks whose tensors processes report.

#ifndef MEMKIT_LIB_WIRE_FRAMEWORKS_H
#define MEMKIT_LIB_WIRE_FRAMEWORKS_H

#include <cstdint>

namespace memkit::wire {

/// The framework whose allocator reports tensors of a device. At most 8: see
/// TensorDeviceWord.
enum class TensorFramework : uint32_t { Torch = 0, TensorFlow = 1, Jax = 2 };

/// By framework: what precedes a device in the name of a heap.
inline constexpr const char *FrameworkPrefixes[] = {"torch.", "tf.", "jax."};
inline constexpr uint32_t NumTensorFrameworks =
    sizeof(FrameworkPrefixes) / sizeof(FrameworkPrefixes[0]);

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_FRAMEWORKS_H
