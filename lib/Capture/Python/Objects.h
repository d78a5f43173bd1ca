// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's own allocators.
//
// The interpreter keeps a table of allocators. Two of them, those of the
// domains mem and object, are replaced by functions that call the ones that
// were there and record what these give. The third, raw, is malloc.
//
// They come by a pending call, which the interpreter makes when it has started
// and suits it, and go when it has ended: the functions that it calls last put
// back what was there. Whoever has put theirs over ours by then keeps them, and
// ours stay below, to pass calls on. So does a child of fork, which has its
// parent's table.
//
// What was allocated before is freed through them too; the recorder knows that
// it does not know it.

#ifndef MEMKIT_CAPTURE_PYTHON_OBJECTS_H
#define MEMKIT_CAPTURE_PYTHON_OBJECTS_H

#include "Exports.h"
#include "Wire/Layout.h"

#include <atomic>

namespace memkit::capture {

/// As PyMemAllocatorEx.
struct PythonAllocator {
  void *Context;
  void *(*Malloc)(void *, size_t);
  void *(*Calloc)(void *, size_t, size_t);
  void *(*Realloc)(void *, void *, size_t);
  void (*Free)(void *, void *);
};

/// The interpreter's functions for its table, and what they were told.
struct PythonTable {
  static constexpr int FirstDomain = 1, NumDomains = 2; ///< mem, object
  PythonAllocator Real[NumDomains]; ///< what stands below ours
  void (*Get)(int, PythonAllocator *);
  void (*Set)(int, PythonAllocator *);
  bool Installed[NumDomains]; ///< ours are in the table, or below others
};

class PythonObjects {
public:
  /// \p E: the interpreter's. False: what is needed is not there.
  bool begin(const Exports &E, wire::Control &C);

  /// Objects of fewer bytes are not recorded.
  uint64_t minSize() const { return MinSize; }

  bool isWanted() const { return Wanted.load(std::memory_order_relaxed); }
  /// Asks the interpreter, whose threads call this, to have them installed.
  void request();

private:
  static int install(void *);
  static void remove();

  std::atomic<bool> Wanted{false};
  uint64_t MinSize = 0;
  wire::Control *Ctl = nullptr;
  int (*IsInitialized)() = nullptr;
  int (*AddPendingCall)(int (*)(void *), void *) = nullptr;
  int (*AtExit)(void (*)()) = nullptr;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_OBJECTS_H
