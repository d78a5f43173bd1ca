// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What NVML says of devices.
//
// NVIDIA's management library as the machine has it: opened by name, its
// functions found by their versions. It comes with the driver, not with CUDA.

#ifndef MEMKIT_LIB_RECORD_NVML_H
#define MEMKIT_LIB_RECORD_NVML_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memkit {

/// Belongs to one thread: any call may take long.
class Nvml {
public:
  Nvml() = default;
  Nvml(const Nvml &) = delete;
  Nvml &operator=(const Nvml &) = delete;

  /// Opens it and begins. What is wrong, or nothing. It is never closed: its
  /// threads, if it has some, may be anywhere.
  std::string open();

  struct DeviceProcess {
    uint32_t Pid = 0; ///< in the namespace that the driver sees
    std::optional<uint64_t> Bytes;
    bool operator==(const DeviceProcess &) const = default;
  };
  struct Reading {
    uint64_t Used = 0; ///< of the device, by all processes
    uint64_t Total = 0;
    std::vector<DeviceProcess> Processes; ///< that compute; none: not told
  };
  /// Of the device with that UUID, as CUDA's driver has it (16 bytes). What is
  /// wrong, or nothing.
  std::string read(llvm::ArrayRef<uint8_t> Uuid, Reading &Out);

private:
  struct Memory;
  struct MemoryV2;
  template <typename Fn> bool find(const char *Name, Fn *&To);
  std::string wrong(const char *Function, int Result) const;
  std::string handleOf(llvm::ArrayRef<uint8_t> Uuid, void *&To);
  std::string readMemory(void *Device, Reading &Out);
  void readProcesses(void *Device, Reading &Out);

  void *Library = nullptr;
  int (*Init)() = nullptr;
  const char *(*ErrorString)(int) = nullptr;
  int (*HandleByUuid)(const char *, void **) = nullptr;
  int (*GetMemory)(void *, Memory *) = nullptr;
  int (*GetMemoryV2)(void *, MemoryV2 *) = nullptr;
  int (*GetProcesses)(void *, unsigned *, void *) = nullptr;
  size_t ProcessBytes = 0; ///< of an entry that GetProcesses writes
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_NVML_H
