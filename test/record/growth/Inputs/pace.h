// What the programs of this folder do for a time: the time is by the clock, so that a busy
// machine makes fewer rounds and no longer phases.

#ifndef PACE_H
#define PACE_H

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>
#include <vector>

inline void pauseFor(double Seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(Seconds));
}

/// Calls Do until Seconds have passed, with a pause of PauseMs milliseconds after each.
template <class T> void runFor(double Seconds, double PauseMs, T Do) {
  auto End = std::chrono::steady_clock::now() + std::chrono::duration<double>(Seconds);
  while (std::chrono::steady_clock::now() < End) {
    Do();
    pauseFor(PauseMs / 1000);
  }
}

/// A block of Bytes with something in it, of the caller's own line.
#define FILLED(Bytes) static_cast<char *>(memset(malloc(Bytes), 1, Bytes))

#endif // PACE_H
