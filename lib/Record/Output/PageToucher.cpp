// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Touches pages before they are needed.

#include "Output/PageToucher.h"
#include <utility>

using namespace memkit;

/// Writes the byte at At with its own value, atomically: no write of another
/// thread is lost.
static void touchPage(char *At) { asm volatile("lock orb $0, %0" : "+m"(*At)); }

void PageToucher::touch(void *Begin, size_t Size) {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Ranges.push_back({static_cast<char *>(Begin), Size});
  }
  if (Worker.isStarted())
    Wake.notify_one();
  else
    Worker.start([this] { run(); });
}

PageToucher::~PageToucher() {
  if (!Worker.isStarted())
    return;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Stop = true;
  }
  Wake.notify_one();
  Worker.join();
}

void PageToucher::run() {
  constexpr size_t PageBytes = 4096;
  std::unique_lock<std::mutex> Guard(Lock);
  for (;;) {
    Wake.wait(Guard, [this] { return Stop || !Ranges.empty(); });
    if (Stop)
      return;
    std::vector<PageRange> Next = std::exchange(Ranges, {});
    Guard.unlock();
    for (const PageRange &R : Next)
      for (size_t At = 0; At < R.Size; At += PageBytes)
        touchPage(R.Begin + At);
    Guard.lock();
  }
}
