// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the recorder is asked.
//
// A question goes through the ring, behind all that the thread has done; the
// answer comes in a slot of the control page. The wait is bounded whatever the
// recorder does: it may be stopped, killed, or done.

#ifndef MEMKIT_CAPTURE_RUNTIME_QUESTIONS_H
#define MEMKIT_CAPTURE_RUNTIME_QUESTIONS_H

#include "Wire/Layout.h"

namespace memkit::capture {

/// Writes \p What, its slot and ticket filled in, and waits for the answer: a
/// few milliseconds, 1 s where the recorder shows no sign of life, 10 s at
/// most. False: there is none. Any thread; in a signal handler that interrupted
/// a hook always false.
bool ask(const wire::AskRecord &What, wire::Reply &To);
bool ask(const wire::DeviceAskRecord &What, wire::Reply &To);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_QUESTIONS_H
