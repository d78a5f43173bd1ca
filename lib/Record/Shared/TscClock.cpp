// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the processor's clock to time.

#include "Shared/TscClock.h"
#include <algorithm>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

using namespace memkit;

uint64_t memkit::readTsc() {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t Count;
  asm volatile("mrs %0, cntvct_el0" : "=r"(Count));
  return Count;
#else
#error "no time stamp counter known for this processor"
#endif
}

static uint64_t readNs(clockid_t Id) {
  timespec T;
  clock_gettime(Id, &T);
  return uint64_t(T.tv_sec) * 1000000000 + uint64_t(T.tv_nsec);
}

ClockTriple memkit::readClocks() {
  ClockTriple Best;
  uint64_t BestGap = ~0ull;
  for (int Try = 0; Try != 5; ++Try) {
    uint64_t Before = readTsc();
    uint64_t Mono = readNs(CLOCK_MONOTONIC);
    uint64_t Real = readNs(CLOCK_REALTIME);
    uint64_t After = readTsc();
    if (After - Before < BestGap) {
      BestGap = After - Before;
      Best = {Before + (After - Before) / 2, Mono, Real};
    }
  }
  return Best;
}

static uint64_t rateOf(uint64_t Ns, uint64_t Counts) {
  return uint64_t((static_cast<unsigned __int128>(Ns) << 32) / Counts);
}

TscClock TscClock::calibrated() {
  ClockTriple A = readClocks();
  timespec Nap{0, 2000000};
  nanosleep(&Nap, nullptr);
  ClockTriple B = readClocks();
  uint64_t Ns = std::max<uint64_t>(B.MonotonicNs - A.MonotonicNs, 1);
  uint64_t Counts = std::max<uint64_t>(B.Tsc - A.Tsc, 1);
  uint64_t Hz =
      uint64_t(static_cast<unsigned __int128>(Counts) * 1000000000 / Ns);
  return TscClock(A, std::max<uint64_t>(Hz, 1));
}

TscClock::TscClock(const ClockTriple &Start, uint64_t Hz)
    : Start(Start), Hz(Hz), BaseTsc(Start.Tsc), BaseNs(0),
      Rate(rateOf(1000000000, Hz)), OldTsc(BaseTsc), OldNs(0), OldRate(Rate),
      Last(Start) {}

uint64_t TscClock::before(uint64_t Tsc) const {
  if (Tsc <= OldTsc)
    return OldNs;
  uint64_t Ns =
      OldNs +
      uint64_t((static_cast<unsigned __int128>(Tsc - OldTsc) * OldRate) >> 32);
  return std::min(Ns, BaseNs);
}

void TscClock::adjust(const ClockTriple &Now) {
  if (Now.Tsc <= BaseTsc || Now.Tsc <= Last.Tsc ||
      Now.MonotonicNs <= Last.MonotonicNs)
    return;
  uint64_t At = toNs(Now.Tsc);
  uint64_t True = Now.MonotonicNs - Start.MonotonicNs;
  // The rate since the start is the steadiest. Change this rate to make up the
  // difference within the next second, by at most a thousandth.
  uint64_t Long = rateOf(True, Now.Tsc - Start.Tsc);
  int64_t Error = int64_t(True) - int64_t(At);
  int64_t Bound = 1000000;
  int64_t Bend = std::clamp(Error, -Bound, Bound);
  OldTsc = BaseTsc;
  OldNs = BaseNs;
  OldRate = Rate;
  BaseTsc = Now.Tsc;
  BaseNs = At;
  Rate = uint64_t(int64_t(Long) +
                  int64_t(static_cast<__int128>(Long) * Bend / 1000000000));
  Last = Now;
}
