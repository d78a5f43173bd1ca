// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a thread.
//
// Plain thread-local memory of the initial-exec model: reading it calls no
// function. The state contains the number of its process, so a child of fork
// detects outdated state.

#ifndef MEMKIT_CAPTURE_RUNTIME_THREAD_H
#define MEMKIT_CAPTURE_RUNTIME_THREAD_H

#include "Process.h"
#include "RingWriter.h"

namespace memkit::capture {

struct ThreadState {
  uint64_t Epoch; ///< the process of Ring; 0: none
  RingWriter Ring;
  uint32_t QuietBits; ///< see Quiet
  bool Attaching;
  bool HasKey;    ///< the key's destructor will report the thread's end
  bool InRealloc; ///< inner calls of the real realloc are not recorded
  uint8_t Rounds; ///< calls of the key's destructor
  uint32_t RingNumber;
  /// The last block that a hook recorded or passed over; tells an outer hook
  /// whether to record.
  uintptr_t LastAllocation;
  uintptr_t LastAligned; ///< the last block of posix_memalign
  uintptr_t Freeing;     ///< the block whose free operator delete has recorded
  uint64_t NoRingEpoch, NoRingBeat;
  /// The thread's stack, if recorded as a block.
  uintptr_t StackLow;
  uint64_t StackBytes;
};

extern __thread ThreadState ThisThread
    __attribute__((tls_model("initial-exec")));

/// During its lifetime, the thread's allocations are the library's own.
class Quiet {
public:
  Quiet() : Saved(ThisThread.QuietBits) { ThisThread.QuietBits = 1; }
  ~Quiet() { ThisThread.QuietBits = Saved; }
  Quiet(const Quiet &) = delete;
  Quiet &operator=(const Quiet &) = delete;

private:
  uint32_t Saved;
};

/// Gives the thread a ring of the current process; false: no ring.
bool attachThread();

/// Makes room for a record in a full ring; waits as the settings say. False:
/// the record is counted as lost.
bool makeRoom(ThreadState &T);

/// Is there room for a record? Fast while the ring is not full.
inline bool hasRoom(ThreadState &T) { return T.Ring.hasRoom() || makeRoom(T); }

/// The calling thread, ready to record; null: this process is not recorded.
inline ThreadState *recordingThread() {
  ThreadState &T = ThisThread;
  uint64_t Epoch = Proc.Epoch.load(std::memory_order_relaxed);
  if (__builtin_expect(T.Epoch != Epoch || !Epoch, 0) && !attachThread())
    return nullptr;
  return &T;
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_THREAD_H
