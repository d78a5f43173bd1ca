// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Provides the package memkit to a program without it.
//
// A recorded program can `import memkit` even if the package is not installed.
// memkit appends a finder to the interpreter's list of finders; the finder
// handles only this name, and asks all other finders first. Nothing else in the
// interpreter changes, neither its environment nor sys.path. A pending call
// installs the finder, at a point that the interpreter chooses.

#ifndef MEMKIT_CAPTURE_PYTHON_MODULEFINDER_H
#define MEMKIT_CAPTURE_PYTHON_MODULEFINDER_H

#include "PendingCalls.h"

#include <atomic>

namespace memkit::capture {

class ModuleFinder {
public:
  /// \p Folder has the package, and must stay valid; empty: no package. \p E:
  /// the interpreter's symbols.
  void begin(const Exports &E, const char *Folder);

  /// Is the finder still to be installed?
  bool isWanted() const { return Wanted.load(std::memory_order_relaxed); }
  /// Called now and then by threads that run Python.
  void poll() {
    if (__builtin_expect(isWanted(), 0))
      Calls.ask(Wanted, install, this);
  }

private:
  static int install(void *Self);

  std::atomic<bool> Wanted{false};
  const char *Folder = nullptr;
  PendingCalls Calls;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_MODULEFINDER_H
