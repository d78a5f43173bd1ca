// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests by signals.

#ifndef MEMKIT_LIB_RECORD_SESSION_REQUESTS_H
#define MEMKIT_LIB_RECORD_SESSION_REQUESTS_H

#include <atomic>

namespace memkit {

/// Requests by signals: the handlers set them, the session reads them.
struct Requests {
  std::atomic<int> Interrupts{0};
  std::atomic<bool> Stop{false};
  /// Number of SIGTERM: see Session::mustStop().
  std::atomic<unsigned> Terminations{0};
  /// Number of requests to start or stop recording.
  std::atomic<unsigned> Toggles{0};
  /// Number of requests to write everything known so far.
  std::atomic<unsigned> Flushes{0};
};
inline Requests TheRequests;

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_REQUESTS_H
