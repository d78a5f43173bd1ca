// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks at devices.

#ifndef MEMKIT_LIB_RECORD_DEVICETHREAD_H
#define MEMKIT_LIB_RECORD_DEVICETHREAD_H

#include "Devices/Nvml.h"
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace memkit {

/// A thread that asks NVML, which may take long or never come back: after a
/// while it is left behind, and ends with the process.
///
/// All but the thread itself belongs to the recorder's thread.
class DeviceThread {
public:
  DeviceThread() = default;
  ~DeviceThread();

  struct Answer {
    std::string Wrong;  ///< empty: good
    bool IsOpen = true; ///< false: nor will any other question be answered
    Nvml::Reading Is;
  };
  /// Starts it, so that NVML is open when it is first asked; once.
  void start();
  /// Of the device with that UUID.
  void ask(std::vector<uint8_t> Uuid);
  /// The next answer, in the order of the questions, once it has come.
  std::optional<Answer> take();

private:
  struct Shared {
    std::mutex Lock; ///< over all of it
    std::condition_variable Wake, Idle;
    std::deque<std::vector<uint8_t>> Asked;
    std::deque<Answer> Done;
    bool Over = false;
    bool IsIn = true; ///< a call of NVML's
    Nvml Of;          ///< the thread's own
  };
  static void run(std::shared_ptr<Shared> S);

  std::shared_ptr<Shared> Both;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_DEVICETHREAD_H
