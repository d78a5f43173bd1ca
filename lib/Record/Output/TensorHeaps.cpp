// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heaps of tensors.

#include "Output/TensorHeaps.h"
#include "Wire/Layout.h"

#include <algorithm>
#include <iterator>

using namespace memkit;

/// By c10::DeviceType (c10/core/DeviceType.h of 1.13 to 2.13).
static constexpr const char *Types[] = {
    "cpu",  "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip",
    "fpga", "maia", "xla",    "vulkan", "metal",  "xpu",   "mps",
    "meta", "hpu",  "ve",     "lazy",   "ipu",    "mtia",  "privateuseone"};

std::string TensorHeaps::deviceName(uint16_t Device) {
  uint8_t Type = uint8_t(Device);
  int8_t Index = int8_t(Device >> 8);
  std::string Name = Type < std::size(Types)                       ? Types[Type]
                     : Type == wire::TensorDeviceWord::Tpu         ? "tpu"
                     : Type == wire::TensorDeviceWord::OtherPlugin ? "plugin"
                     : Type == wire::TensorDeviceWord::Pinned
                         ? "pinned"
                         : "device" + std::to_string(unsigned(Type));
  if (Type != Cpu && Index >= 0)
    Name += ":" + std::to_string(int(Index));
  return Name;
}

std::optional<uint16_t> TensorHeaps::deviceNamed(llvm::StringRef Name) {
  auto [Type, Index] = Name.split(':');
  auto *It = std::find(std::begin(Types), std::end(Types), Type);
  int8_t Number = -1;
  if (It == std::end(Types) ||
      (!Index.empty() && (Index.getAsInteger(10, Number) || Number < 0)))
    return std::nullopt;
  return uint16_t((It - std::begin(Types)) | uint8_t(Number) << 8);
}
