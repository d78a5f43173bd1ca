// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests of memrec for the names that hold memory (memrec --holders).
//
// A request is a bit in the shared settings: the recorder sets it for a
// condition, this library for memory that was refused. A thread that next
// records a stack of Python asks the interpreter for a pending call, which runs
// the package memkit.

#ifndef MEMKIT_CAPTURE_PYTHON_HOLDERREQUESTS_H
#define MEMKIT_CAPTURE_PYTHON_HOLDERREQUESTS_H

#include "PendingCalls.h"
#include "Wire/Layout.h"

#include <atomic>

namespace memkit::capture {

class HolderRequests {
public:
  /// \p E: the interpreter's symbols.
  void begin(const Exports &E, wire::Control &C);

  /// Called now and then by threads that run Python: has the package loaded
  /// before memory is scarce, and registered for the interpreter's end.
  void poll() {
    if (__builtin_expect(isWanted(), 0))
      prepare();
  }
  bool isWanted() const { return Wanted.load(std::memory_order_relaxed); }
  /// Takes the request, if there is one.
  void take() {
    if (__builtin_expect(
            Ctl->Settings.Recording.load(std::memory_order_relaxed) &
                wire::RB_Holders,
            0))
      ask();
  }

private:
  /// Address space that is kept for a search when memory is refused.
  static constexpr size_t ReservedBytes = 48u << 20;

  void prepare();
  void ask();
  static int runPrepare(void *Self);
  static int runAsked(void *Self);
  void reserve();
  void release();

  std::atomic<bool> Wanted{false};
  std::atomic<uint32_t> Waits{0}; ///< further calls of poll() do nothing
  wire::Control *Ctl = nullptr;
  void *Reserve = nullptr; ///< null: none, or a search runs
  PendingCalls Calls;
  void *(*SysObject)(const char *) = nullptr;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_HOLDERREQUESTS_H
