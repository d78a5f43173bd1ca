// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that the interpreter is asked to make.

#ifndef MEMKIT_CAPTURE_PYTHON_PENDINGCALLS_H
#define MEMKIT_CAPTURE_PYTHON_PENDINGCALLS_H

#include "Stacks/Exports.h"

#include <atomic>

namespace memkit::capture {

/// The interpreter makes a pending call in its main thread, with its lock held,
/// at a point that the interpreter chooses. Any thread may ask. All zero before
/// find(), so that the object may lie in memory that a fork clears: a child of
/// fork inherits the pending calls, but isThere() is false until the child's
/// own find().
class PendingCalls {
public:
  using Answer = int (*)(void *Self);

  /// \p E: the interpreter's symbols. False: one is missing, and nothing can be
  /// asked.
  bool find(const Exports &E) {
    bool HasAll = E.find("Py_IsInitialized", IsInitialized) &&
                  E.find("Py_AddPendingCall", Add) &&
                  E.find("PyRun_SimpleStringFlags", Run);
    if (!HasAll)
      Run = nullptr;
    return HasAll;
  }
  bool isThere() const { return Run; }

  /// False: the interpreter's list of calls is full.
  bool ask(Answer Do, void *Self) const { return Add(Do, Self) == 0; }
  /// Asks once if \p Wanted, and sets \p Wanted to false. Before the
  /// interpreter is initialised, it takes no call; while its list of calls is
  /// full, the request is repeated later.
  void ask(std::atomic<bool> &Wanted, Answer Do, void *Self) const {
    if (!IsInitialized() || !Wanted.exchange(false, std::memory_order_acq_rel))
      return;
    if (!ask(Do, Self))
      Wanted.store(true, std::memory_order_release);
  }
  /// In a pending call: runs code of Python. \p Text defines no name in the
  /// program's module, and lets no exception out.
  void run(const char *Text) const { Run(Text, nullptr); }

private:
  int (*IsInitialized)() = nullptr;
  int (*Add)(Answer, void *) = nullptr;
  int (*Run)(const char *, void *) = nullptr; ///< null: nothing can be asked
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_PENDINGCALLS_H
