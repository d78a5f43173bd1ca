// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the state of devices from NVML.
//
// NVIDIA's management library comes with the driver, not with CUDA. It is
// opened by name, and its functions are found by name and version.

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

  /// Opens and initializes NVML; returns the error, or empty. NVML is never
  /// closed, because threads of its own may still run in it.
  std::string open();

  struct DeviceProcess {
    uint32_t Pid = 0; ///< in the pid namespace of the driver
    std::optional<uint64_t> Bytes;
    bool operator==(const DeviceProcess &) const = default;
  };
  struct Reading {
    uint64_t Used = 0; ///< of the device, by all processes
    uint64_t Total = 0;
    /// Of a device that shares the machine's memory: what the machine can still
    /// give without swapping.
    std::optional<uint64_t> Available;
    /// The processes that compute on the device. If the device shares the
    /// machine's memory, also the processes that draw. Empty: unknown.
    std::vector<DeviceProcess> Processes;
  };
  /// Reads the device with this UUID, as CUDA's driver reports it (16 bytes);
  /// returns the error, or empty. SharesMemory: NVML knows no memory of the
  /// device (NVML_ERROR_NOT_SUPPORTED), and the used memory is the sum of its
  /// processes; Total and Available are the machine's.
  std::string read(llvm::ArrayRef<uint8_t> Uuid, bool SharesMemory,
                   Reading &Out);

private:
  struct Memory;
  struct MemoryV2;
  template <typename Fn> bool find(const char *Name, Fn *&To);
  std::string wrong(const char *Function, int Result) const;
  std::string handleOf(llvm::ArrayRef<uint8_t> Uuid, void *&To);
  std::string readMemory(void *Device, Reading &Out);
  /// Lists the processes of a kind.
  struct ProcessCall {
    int (*Get)(void *, unsigned *, void *) = nullptr; ///< null: not there
    size_t EntryBytes = 0;
  };
  ProcessCall findProcesses(const std::string &Name);
  bool readProcesses(const ProcessCall &By, void *Device, Reading &Out);
  std::string readShared(void *Device, Reading &Out);

  void *Library = nullptr;
  int (*Init)() = nullptr;
  const char *(*ErrorString)(int) = nullptr;
  int (*HandleByUuid)(const char *, void **) = nullptr;
  int (*GetMemory)(void *, Memory *) = nullptr;
  int (*GetMemoryV2)(void *, MemoryV2 *) = nullptr;
  ProcessCall Computing, Drawing;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_NVML_H
