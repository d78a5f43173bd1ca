// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a thread.
//
// What the library knows about a thread. Plain thread-local memory of the
// initial-exec model: reading it calls nothing. It holds the number of the
// process that it was made for, so that in a child of fork it is out of date.

#ifndef MEMKIT_CAPTURE_RUNTIME_THREAD_H
#define MEMKIT_CAPTURE_RUNTIME_THREAD_H

#include "Process.h"
#include "RingWriter.h"

namespace memkit::capture {

struct Thread {
  uint64_t Epoch; ///< of the process that Ring belongs to; 0: none
  RingWriter Ring;
  uint32_t QuietBits; ///< see Quiet
  bool Attaching;
  bool HasKey;    ///< its end will be told
  bool InRealloc; ///< what the real one calls is part of it
  uint8_t Rounds; ///< calls of the key's destructor
  uint32_t RingNumber;
  /// Last block that a hook recorded; to see whether an outer hook need not.
  uintptr_t LastAllocation;
  uintptr_t Freeing; ///< operator delete has recorded the free of this one
  uint64_t NoRingEpoch, NoRingBeat;
  /// Its stack, when that is a block.
  uintptr_t StackLow;
  uint64_t StackBytes;
};

extern __thread Thread ThisThread __attribute__((tls_model("initial-exec")));

/// While it lives, what the thread allocates is the library's own.
class Quiet {
public:
  Quiet() : Saved(ThisThread.QuietBits) { ThisThread.QuietBits = 1; }
  ~Quiet() { ThisThread.QuietBits = Saved; }
  Quiet(const Quiet &) = delete;
  Quiet &operator=(const Quiet &) = delete;

private:
  uint32_t Saved;
};

/// Gives the thread a ring of the current process; false: it cannot have one.
bool attachThread();

/// Room for a record in a full ring: waits as the settings say. False: the
/// record has been counted as lost.
bool makeRoom(Thread &T);

/// The same, in a ring that is seldom full.
inline bool hasRoom(Thread &T) { return T.Ring.hasRoom() || makeRoom(T); }

/// The calling thread, ready to record; null: this process is not recorded.
inline Thread *recordingThread() {
  Thread &T = ThisThread;
  uint64_t Epoch = Proc.Epoch.load(std::memory_order_relaxed);
  if (__builtin_expect(T.Epoch != Epoch || !Epoch, 0) && !attachThread())
    return nullptr;
  return &T;
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_THREAD_H
