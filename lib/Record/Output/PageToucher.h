// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Touches pages before they are needed.
//
// The kernel clears a page at its first touch, which takes some milliseconds
// for a large page on a virtual machine; meanwhile the rings fill. A separate
// thread touches memory that will be needed soon. If the thread comes too late,
// the user of a page touches it first, as without a PageToucher.

#ifndef MEMKIT_LIB_RECORD_PAGETOUCHER_H
#define MEMKIT_LIB_RECORD_PAGETOUCHER_H

#include "Shared/WorkThread.h"
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace memkit {

/// One thread calls all functions.
class PageToucher {
public:
  PageToucher() = default;
  /// Ends the thread; no memory is touched afterwards.
  ~PageToucher();
  PageToucher(const PageToucher &) = delete;
  PageToucher &operator=(const PageToucher &) = delete;

  /// Touches the pages of [Begin, Begin + Size) soon. Other threads may write
  /// these pages meanwhile. The pages must stay mapped as long as the
  /// PageToucher lives. The first call starts the thread; without a thread,
  /// nothing is touched.
  void touch(void *Begin, size_t Size);

private:
  struct PageRange {
    char *Begin;
    size_t Size;
  };
  void run();

  std::mutex Lock;
  std::condition_variable Wake;
  std::vector<PageRange> Ranges;
  bool Stop = false;
  WorkThread Worker;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PAGETOUCHER_H
