// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The package memkit for who lacks it.
//
// A recorded program can `import memkit` though it is not installed: the
// interpreter's list of finders gets one more at its end, which knows that name
// alone and asks all others first. Nothing else of the interpreter changes: not
// its environment, not sys.path. It is done by a pending call, which the
// interpreter makes when it suits it.

#ifndef MEMKIT_CAPTURE_PYTHON_MODULEFINDER_H
#define MEMKIT_CAPTURE_PYTHON_MODULEFINDER_H

#include "Exports.h"

#include <atomic>

namespace memkit::capture {

class ModuleFinder {
public:
  /// \p Folder holds the package, and stays; empty: there is none. \p E: the
  /// interpreter's.
  void begin(const Exports &E, const char *Folder);

  /// To be called now and then by threads that run Python.
  void poll() {
    if (__builtin_expect(Wanted.load(std::memory_order_relaxed), 0))
      request();
  }

private:
  void request();
  static int install(void *Self);

  std::atomic<bool> Wanted{false};
  const char *Folder = nullptr;
  int (*IsInitialized)() = nullptr;
  int (*AddPendingCall)(int (*)(void *), void *) = nullptr;
  int (*Run)(const char *, void *) = nullptr;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_MODULEFINDER_H
