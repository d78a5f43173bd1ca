// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of a recorder without memory.
//
// Where the recorder's own memory is bounded (ulimit -v, strict overcommit) a
// table may not grow any more. Nothing can be completed then: the recording
// ends, the trace can be read up to its last block, and the program runs on.
//
// The thread that has no memory ends. With the recorder's thread its robust
// locks end, which tells the program that nobody records it; a thread that was
// started for this waits for the program, as memrec's status is the program's.

#ifndef MEMKIT_LIB_RECORD_NOMEMORY_H
#define MEMKIT_LIB_RECORD_NOMEMORY_H

#include <sys/types.h>

namespace memkit {

/// From now on memory that is refused ends the recording, not memrec by abort.
/// Called by the recorder's thread, once.
void prepareForNoMemory();

/// The program, a child of ours, has been started.
void waitWithoutMemoryFor(pid_t Program);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_NOMEMORY_H
