// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the recorder.
//
// A question goes through the ring, after all earlier events of the thread; the
// answer comes in a slot of the control page. The wait is bounded even if the
// recorder is stopped, killed or finished.

#ifndef MEMKIT_CAPTURE_RUNTIME_QUESTIONS_H
#define MEMKIT_CAPTURE_RUNTIME_QUESTIONS_H

#include "Wire/Layout.h"

namespace memkit::capture {

/// Writes \p What with a slot and a ticket, and waits for the answer: a few
/// milliseconds, 3 s without a heartbeat of the recorder, 10 s at most. False:
/// no answer. Any thread; always false in a signal handler that has interrupted
/// a hook.
bool ask(const wire::AskRecord &What, wire::Reply &To);
bool ask(const wire::DeviceAskRecord &What, wire::Reply &To);
/// Waits wire::Detour::MaxWaitMs at most.
bool ask(const wire::AskDetoursRecord &What, wire::Reply &To);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_QUESTIONS_H
