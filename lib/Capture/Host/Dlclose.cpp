// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hook of dlclose.
//
// Forgets the addresses of unloaded binaries, so that another library at the
// same place gets codes of its own. The hook of free nearly always does this
// first (Binaries.h); this hook is for a loader that frees in another way.

#include "Real.h"
#include "Runtime/Symbols.h"
#include "Runtime/Thread.h"
#include "Stacks/Codes.h"

using namespace memkit;
using namespace memkit::capture;

static void forgetGone() {
  static std::atomic<uint32_t> Busy;
  while (Busy.exchange(1, std::memory_order_acquire))
    sys::sleepMicroseconds(50);
  forgetGoneBinaries();
  Busy.store(0, std::memory_order_release);
}

MEMKIT_EXPORT int dlclose(void *Handle) noexcept {
  static std::atomic<int (*)(void *)> Fn;
  auto *Close = Fn.load(std::memory_order_acquire);
  if (!Close) {
    Close = reinterpret_cast<int (*)(void *)>(nextSymbol("dlclose"));
    Fn.store(Close, std::memory_order_release);
  }
  int Result = Close(Handle);
  if (recordingThread())
    forgetGone();
  return Result;
}
