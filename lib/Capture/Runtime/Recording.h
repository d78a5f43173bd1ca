// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether and how events are recorded now.

#ifndef MEMKIT_CAPTURE_RUNTIME_RECORDING_H
#define MEMKIT_CAPTURE_RUNTIME_RECORDING_H

#include "Thread.h"

namespace memkit::capture {

using wire::AllocFunction;

inline bool isRecording() {
  return Proc.Ctl->Settings.Recording.load(std::memory_order_relaxed) &
         wire::RB_On;
}
/// Are the scopes of PyTorch wanted?
inline bool isTellingScopes() {
  return Proc.Ctl->Settings.Recording.load(std::memory_order_relaxed) &
         (wire::RB_On | wire::RB_Scopes);
}

/// The recorder puts right the order of records of one address (Held, in its
/// ProcessState), unless it does not know of all blocks.
inline RingWriter::Clock blockClock() {
  bool SomeUnknown =
      Proc.SomeUnknown |
      bool(Proc.Ctl->Settings.Recording.load(std::memory_order_relaxed) &
           wire::RB_SomeUnknown);
  return SomeUnknown ? RingWriter::Clock::Ordered : RingWriter::Clock::Early;
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_RECORDING_H
