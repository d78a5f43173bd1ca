// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Are events recorded now, and with which clock?

#ifndef MEMKIT_CAPTURE_RUNTIME_RECORDING_H
#define MEMKIT_CAPTURE_RUNTIME_RECORDING_H

#include "Thread.h"

namespace memkit::capture {

using wire::AllocFunction;

inline bool isRecording() {
  return Proc.Ctl->Settings.Recording.load(std::memory_order_relaxed) &
         wire::RB_On;
}
/// Are scopes of PyTorch recorded?
inline bool areScopesRecorded() {
  return Proc.Ctl->Settings.Recording.load(std::memory_order_relaxed) &
         (wire::RB_On | wire::RB_Scopes);
}

/// Memory was refused: the program finds the names that hold memory, if wanted.
inline void noteRefusal() {
  if (Proc.Ctl->HoldersWanted & wire::HW_Oom)
    Proc.Ctl->Settings.Recording.fetch_or(wire::RB_Holders,
                                          std::memory_order_relaxed);
}

/// The clock for records of blocks. The recorder corrects the order of records
/// of one address (Held, in its HostHeap), unless some blocks are not recorded.
inline RingWriter::ClockRead blockClock() {
  bool SomeUnknown =
      Proc.SomeUnknown |
      bool(Proc.Ctl->Settings.Recording.load(std::memory_order_relaxed) &
           wire::RB_SomeUnknown);
  return SomeUnknown ? RingWriter::ClockRead::Ordered
                     : RingWriter::ClockRead::Early;
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_RECORDING_H
