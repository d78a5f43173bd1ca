// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of a vendor's library that reports the state of devices.

#ifndef MEMKIT_LIB_RECORD_DEVICELIBRARY_H
#define MEMKIT_LIB_RECORD_DEVICELIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memkit {

/// Belongs to one thread: any call may take long.
class DeviceLibrary {
public:
  virtual ~DeviceLibrary() = default;

  /// Opens the library; returns the error, or empty.
  virtual std::string open() = 0;

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
  /// Reads the device with this UUID, as its driver reports it (16 bytes);
  /// returns the error, or empty. SharesMemory: the library knows no memory of
  /// the device, and the used memory is the sum of its processes; Total and
  /// Available are the machine's.
  virtual std::string read(llvm::ArrayRef<uint8_t> Uuid, bool SharesMemory,
                           Reading &Out) = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_DEVICELIBRARY_H
