// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the state of devices in a thread.

#ifndef MEMKIT_LIB_RECORD_DEVICETHREAD_H
#define MEMKIT_LIB_RECORD_DEVICETHREAD_H

#include "Devices/DeviceLibrary.h"
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace memkit {

/// A thread that calls a library of devices, which may take long or never
/// return. The destructor waits a short time; a thread still in the library
/// then ends with the process.
///
/// Only the recorder's thread may call the members.
class DeviceThread {
public:
  explicit DeviceThread(std::unique_ptr<DeviceLibrary> Of)
      : Library(std::move(Of)) {}
  ~DeviceThread();

  struct DeviceAnswer {
    std::string Wrong; ///< the error; empty: none
    /// False: the library cannot be opened, and no request will succeed.
    bool IsOpen = true;
    DeviceLibrary::Reading Is;
  };
  /// Starts the thread once, so that the library is open at the first request.
  void start();
  /// A request for the state of a device; as of DeviceLibrary::read().
  struct DeviceQuestion {
    std::vector<uint8_t> Uuid;
    bool SharesMemory = false;
  };
  void ask(DeviceQuestion Q);
  /// The next answer in the order of requests, if there is one.
  std::optional<DeviceAnswer> take();

private:
  struct Shared {
    std::mutex Lock; ///< guards all members but Of
    std::condition_variable Wake, Idle;
    std::deque<DeviceQuestion> Asked;
    std::deque<DeviceAnswer> Done;
    bool Over = false;
    bool IsIn = true;                  ///< in a call of the library
    std::unique_ptr<DeviceLibrary> Of; ///< used by the thread only
  };
  static void run(std::shared_ptr<Shared> S);

  std::unique_ptr<DeviceLibrary> Library; ///< until start()
  std::shared_ptr<Shared> Both;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_DEVICETHREAD_H
