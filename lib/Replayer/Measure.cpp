// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the memory and the time of this process, without an allocation.

#include "Measure.h"
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

using namespace memkit;

static constexpr uint64_t PageBytes = 4096;

static uint64_t monotonicNs() {
  timespec Now;
  clock_gettime(CLOCK_MONOTONIC, &Now);
  return uint64_t(Now.tv_sec) * 1000000000 + uint64_t(Now.tv_nsec);
}

/// The number at Text, which moves behind the number.
static uint64_t readNumber(const char *&Text) {
  while (*Text == ' ')
    ++Text;
  uint64_t Number = 0;
  for (; *Text >= '0' && *Text <= '9'; ++Text)
    Number = Number * 10 + uint64_t(*Text - '0');
  return Number;
}

void ResidentMeter::open() {
  Statm = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  Rollup = ::open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
}

uint64_t ResidentMeter::estimate() const {
  char Text[256];
  ssize_t Size = pread(Statm, Text, sizeof(Text) - 1, 0);
  if (Size <= 0)
    return 0;
  Text[Size] = 0;
  const char *At = Text;
  readNumber(At); // the address space
  uint64_t Resident = readNumber(At), Shared = readNumber(At);
  return Resident > Shared ? (Resident - Shared) * PageBytes : 0;
}

uint64_t ResidentMeter::measure() const {
  char Text[4096];
  ssize_t Size = pread(Rollup, Text, sizeof(Text) - 1, 0);
  if (Size <= 0)
    return estimate();
  Text[Size] = 0;
  static constexpr char Name[] = "\nAnonymous:";
  const char *At = strstr(Text, Name);
  if (!At)
    return estimate();
  At += sizeof(Name) - 1;
  return readNumber(At) * 1024;
}

void CallClock::start() {
  constexpr int Tries = 1000;
  OwnTicks = UINT64_MAX;
  for (int I = 0; I != Tries; ++I) {
    uint64_t Begun = __rdtsc(), Ticks = __rdtsc() - Begun;
    OwnTicks = Ticks < OwnTicks ? Ticks : OwnTicks;
  }
  StartNs = monotonicNs();
  StartTicks = __rdtsc();
}

double CallClock::TimedCalls::ticks(uint64_t OwnTicks) const {
  uint64_t Own = NumTimed * OwnTicks;
  return Ticks > Own ? double(Ticks - Own) / double(NumTimed) * double(NumCalls)
                     : 0;
}

uint64_t CallClock::nanoseconds() const {
  uint64_t PassedTicks = __rdtsc() - StartTicks,
           PassedNs = monotonicNs() - StartNs;
  if (!PassedTicks)
    return 0;
  double Ticks = Always.ticks(OwnTicks) + Drawn.ticks(OwnTicks);
  return uint64_t(Ticks / double(PassedTicks) * double(PassedNs));
}
