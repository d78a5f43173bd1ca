// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends the recording when the recorder has no memory.
//
// Where the recorder's memory is bounded (ulimit -v, strict overcommit), a
// table may fail to grow. The trace cannot be completed then: the recording
// ends, the trace can be read up to its last section, and the program runs on.
//
// The recorder's thread ends, and with the thread its robust locks: so the
// program learns that the recording is over. Another thread that lacks memory
// sleeps. A thread started in advance waits for the program, whose status is
// memrec's status.

#ifndef MEMKIT_LIB_RECORD_NOMEMORY_H
#define MEMKIT_LIB_RECORD_NOMEMORY_H

#include <sys/types.h>

namespace memkit {

/// From now on, refused memory ends the recording, instead of memrec by abort.
/// Called once, by the recorder's thread.
void prepareForNoMemory();

/// Sets the program, a child process of the recorder, after its start.
void waitWithoutMemoryFor(pid_t Program);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_NOMEMORY_H
