// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the state of devices from NVML.
//
// NVIDIA's management library comes with the driver, not with CUDA. It is
// opened by name, and its functions are found by name and version.

#ifndef MEMKIT_LIB_RECORD_NVML_H
#define MEMKIT_LIB_RECORD_NVML_H

#include "Devices/DeviceLibrary.h"

namespace memkit {

class Nvml : public DeviceLibrary {
public:
  Nvml() = default;
  Nvml(const Nvml &) = delete;
  Nvml &operator=(const Nvml &) = delete;

  /// NVML is never closed, because threads of its own may still run in it.
  std::string open() override;
  /// SharesMemory: NVML answers NVML_ERROR_NOT_SUPPORTED.
  std::string read(llvm::ArrayRef<uint8_t> Uuid, bool SharesMemory,
                   Reading &Out) override;

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
