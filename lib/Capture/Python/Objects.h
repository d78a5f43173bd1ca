// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's own allocators.
//
// The interpreter has a table of allocators. memkit replaces two of them, of
// the domains mem and object, by functions that call the previous allocator and
// record. The third, raw, is malloc.
//
// A pending call installs the functions, at a point that the interpreter
// chooses after its start. One of the interpreter's last exit functions
// restores the previous allocators. If another library has installed functions
// over memkit's by then, memkit's functions stay below and forward calls. The
// functions also stay in a child of fork, with the parent's table.
//
// Blocks from before the installation are freed through memkit's functions,
// too; for the recorder, these are frees of unknown objects.

#ifndef MEMKIT_CAPTURE_PYTHON_OBJECTS_H
#define MEMKIT_CAPTURE_PYTHON_OBJECTS_H

#include "PendingCalls.h"
#include "Wire/Layout.h"

#include <atomic>

namespace memkit::capture {

/// PyMemAllocatorEx.
struct PythonAllocator {
  void *Context;
  void *(*Malloc)(void *, size_t);
  void *(*Calloc)(void *, size_t, size_t);
  void *(*Realloc)(void *, void *, size_t);
  void (*Free)(void *, void *);
};

/// The interpreter's functions for its table of allocators, and the previous
/// allocators.
struct PythonTable {
  static constexpr int FirstDomain = 1, NumDomains = 2; ///< mem, object
  PythonAllocator Real[NumDomains]; ///< the allocators below memkit's
  void (*Get)(int, PythonAllocator *);
  void (*Set)(int, PythonAllocator *);
  bool Installed[NumDomains]; ///< memkit's are in the table, or below others
  bool HasAtExit;             ///< the interpreter's end takes memkit's out
};

class ObjectHooks {
public:
  /// \p E: the interpreter's symbols. False: a symbol is missing.
  bool begin(const Exports &E, wire::Control &C);

  /// Objects below this size are not recorded.
  uint64_t minSize() const { return MinSize; }

  bool isWanted() const { return Wanted.load(std::memory_order_relaxed); }
  /// Asks the interpreter to install the functions. Called by the interpreter's
  /// threads.
  void request();

private:
  static int install(void *);
  static void remove();

  std::atomic<bool> Wanted{false};
  uint64_t MinSize = 0;
  wire::Control *Ctl = nullptr;
  PendingCalls Calls;
  int (*AtExit)(void (*)()) = nullptr;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_OBJECTS_H
