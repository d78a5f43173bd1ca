// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that are there when needed.
//
// The kernel clears a page when it is first touched: some milliseconds for a
// large one on a virtual machine, in which the rings fill. A thread of its own
// touches memory that will be needed soon; where it comes too late, whoever
// needs a page touches it himself, as always.

#ifndef MEMKIT_LIB_RECORD_PAGETOUCHER_H
#define MEMKIT_LIB_RECORD_PAGETOUCHER_H

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace memkit {

/// All functions are one thread's to call.
class PageToucher {
public:
  PageToucher() = default;
  /// Ends the thread: no memory is touched after it.
  ~PageToucher();
  PageToucher(const PageToucher &) = delete;
  PageToucher &operator=(const PageToucher &) = delete;

  /// Has the pages of [Begin, Begin + Size) made soon, which others may write
  /// meanwhile. They stay mapped as long as this lives. The first call starts
  /// the thread.
  void touch(void *Begin, size_t Size);

private:
  struct Range {
    char *Begin;
    size_t Size;
  };
  void run();

  std::mutex Lock;
  std::condition_variable Wake;
  std::vector<Range> Ranges;
  bool Stop = false;
  std::optional<std::thread> Worker;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PAGETOUCHER_H
