// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls functions in another process, in one of its threads.

#ifndef MEMKIT_LIB_RECORD_ATTACH_BORROWEDTHREAD_H
#define MEMKIT_LIB_RECORD_ATTACH_BORROWEDTHREAD_H

#include "Attach/SafeMoment.h"
#include <array>

namespace memkit {

/// A stopped thread that calls functions for memrec, and goes on afterwards as
/// if nothing had been: registers, floating point state, signal mask, red zone
/// and an interrupted system call are as they were.
///
/// If memrec dies meanwhile, the thread goes on by itself: each call returns to
/// code that restores the thread by the kernel's own rt_sigreturn, from a frame
/// that memrec has written before. (A system call with a relative time then
/// waits for the whole time again.)
///
/// Code and the calls' stack lie in memory that begin() maps and end() unmaps.
class BorrowedThread {
public:
  BorrowedThread(const TargetMemory &Memory, const SafeMoment &Code,
                 TargetThread &T)
      : Memory(Memory), Code(Code), T(T) {}
  BorrowedThread(const BorrowedThread &) = delete;
  BorrowedThread &operator=(const BorrowedThread &) = delete;

  /// T is stopped, and safe. After an error the thread is as before.
  llvm::Error begin();
  /// After an error of begin(): another moment may do. The thread was about to
  /// handle a fault of its own, or its stack was full.
  bool mayTryAgain() const { return MayTryAgain; }
  /// Memory of the calls' data; between begin() and end().
  uint64_t room() const { return Data + RoomOffset; }
  static constexpr uint64_t RoomBytes = 64 << 10;

  /// Calls a function with the arguments; returns its result. Errors: the
  /// process has ended, the function has crashed (the thread is then as before)
  /// or takes longer than TimeoutMs: then the thread is as before if it waits,
  /// and else goes on with the call.
  llvm::Expected<uint64_t> call(uint64_t Function, std::array<uint64_t, 2> Args,
                                unsigned TimeoutMs);
  /// Restores the thread, and lets it go on.
  void end();

private:
  static constexpr uint64_t CodeBytes = 4096, DataBytes = 640 << 10,
                            RoomOffset = 512 << 10;
  std::vector<uint8_t> frame(uint64_t At) const;
  llvm::Expected<uint64_t> systemCall(uint64_t Number,
                                      std::array<uint64_t, 6> Args);
  bool enter(const TargetRegisters &R);
  llvm::Error explain(TargetStop Is);
  void giveUp();
  void restore();

  const TargetMemory &Memory;
  const SafeMoment &Code;
  TargetThread &T;
  TargetRegisters Before = {};
  std::vector<uint8_t> FloatBefore;
  uint64_t MaskBefore = 0;
  uint64_t CodeAt = 0, Data = 0;
  bool HasSlept = false; ///< a call has used the kernel's clock of the thread
  bool MayTryAgain = false;
  bool IsAway = false; ///< the registers are not the thread's own
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_ATTACH_BORROWEDTHREAD_H
