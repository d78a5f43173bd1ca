// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repeats the requests of a recorded program.
//
// Each thread of the program is a thread here, so an allocator's arenas and
// caches are those of the program. Threads begin and end as in the program. The
// commands in between all run on the main thread, with the thread-local data of
// the thread that they are of: a real turn would take microseconds, and a
// program of several threads may change the thread with each command.
//
// The allocator under test is malloc: nothing here allocates. Tables are
// mapped, and resident before the first command.

#ifndef MEMKIT_LIB_REPLAYER_PLAYER_H
#define MEMKIT_LIB_REPLAYER_PLAYER_H

#include "Measure.h"
#include "ThreadPointer.h"
#include "Wire/ReplayCommands.h"
#include <atomic>
#include <pthread.h>

namespace memkit {

class Player {
public:
  explicit Player(const wire::ReplayStart &S) : Start(S) {}
  /// Runs the commands of the socket as the main thread; reports and ends the
  /// process.
  [[noreturn]] void run();
  /// Reports and ends the process.
  [[noreturn]] void finish(wire::ReplayState State);

private:
  struct PlayedBlock {
    char *Address;
    uint64_t Bytes;
  };
  struct PlayedThread {
    std::atomic<uint32_t> State;
    bool IsRunning, HasEnded;
    void *Data; ///< see ThreadPointer
    pthread_t Handle;
  };
  static constexpr size_t BatchCommands = 1 << 16;
  static constexpr size_t PrefetchAhead = 16;

  template <class T> T *map(size_t Count);
  void setUp();
  static void *runThread(void *Of);
  void startThread(PlayedThread &T);
  void become(uint32_t Number);
  void endThread();
  [[noreturn]] void play();
  void refill();
  void execute(const wire::ReplayCommand &C);
  void *request(wire::ReplayOp Op, uint64_t Bytes) const;
  void allocate(PlayedBlock &B, wire::ReplayOp Op, uint64_t Bytes);
  void resize(PlayedBlock &B, uint64_t Bytes);
  void free(PlayedBlock &B);
  void touch(char *From, uint64_t Begin, uint64_t End);
  void sample();
  void notePoint();
  void noteResident(uint64_t Bytes);

  const wire::ReplayStart Start;
  wire::ReplayOutcome Outcome;
  ResidentMeter Meter;
  CallClock Clock;
  const ThreadPointer Pointer;
  uint64_t BaseBytes = 0;
  uint64_t PointBytes = 0;  ///< the highest since the last point
  uint64_t Untold = 0;      ///< bytes touched since the last sample
  uint32_t NumCommands = 0; ///< since the last sample
  uint32_t NumRunning = 1;  ///< threads
  /// Whether the allocator has these functions: else libc's would serve them.
  bool HasZeroed = false, HasAligned = false;
  PlayedBlock *Blocks = nullptr;
  PlayedThread *Threads = nullptr;
  uint32_t Self = 0; ///< the thread of the command
  wire::ReplayCommand *Batch = nullptr;
  size_t At = 0, End = 0;
  size_t BatchBytes = 0; ///< read; the last command may be incomplete
};

} // namespace memkit

#endif // MEMKIT_LIB_REPLAYER_PLAYER_H
